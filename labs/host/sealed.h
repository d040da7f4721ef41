/* sealed.h - what the drivers loops.c and threads.c do before a program is sealed: the results are mapped, and the vdso is unmapped.
 *
 * The driver has host_call, in the page that sealing unmaps. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define RESULTS 0x10000000ul /* where the file is mapped */
#define PAGE 4096ul
#define AT_SYSINFO_EHDR 33
#define VDSO_BYTES (4 * PAGE)
#define MODE_RDWR 2

long host_call(long number, long a, long b, long c, long d, long e, long f);

static _Noreturn void leave(int status)
{
    for (;;)
        host_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static uint64_t number(const char *text)
{
    uint64_t n = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        n = 10 * n + (uint64_t)(*text - '0');
    return n;
}

/* A page follows the results, for the word that says how it ended. */
static void map_results(const char *path, long bytes)
{
    long fd = host_call(SYS_open, (long)path, MODE_RDWR, 0, 0, 0, 0);

    if (fd < 0 || host_call(SYS_ftruncate, fd, bytes + (long)PAGE, 0, 0, 0, 0)
        || host_call(SYS_mmap, RESULTS, bytes + (long)PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != (long)RESULTS)
        leave(1);
}

/* behind: the environment, and behind that what the kernel says about the process. */
static void unmap_vdso(char **behind)
{
    uint64_t *entry;

    while (*behind)
        behind++;
    for (entry = (uint64_t *)(behind + 1); entry[0]; entry += 2)
        if (entry[0] == AT_SYSINFO_EHDR)
            host_call(SYS_munmap, (long)entry[1], VDSO_BYTES, 0, 0, 0, 0);
}
