/* flat.c - runs a piece of code without a program around it, and prints the registers at its end: for tests that are written for emulators
 * (FEX-Emu's unittests/ASM).
 *
 *   BIN/NAME, a link to this program:   ../build/NAME.flat is the code, for address 0x10000; it ends with hlt, or with a fault
 *                                       ../build/NAME.regions has lines of memory that it wants: 0x100000000 4096
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#define CODE 0x10000ull
#define DATA 0xe0000000ull  /* scratch memory of FEX's harness */
#define DATA_BYTES 0xa000ull
#define STACK 0xc0000000ull
#define STACK_BYTES 0x100000ull
enum { YMM_HIGH = 576, AVX = 4, XSTATE_BV = 512, SW_MAGIC = 464 };

static void words(const char *name, const uint64_t *w, unsigned n)
{
    printf("%s", name);
    for (unsigned i = 0; i < n; i++)
        printf(" %016lx", w[i]);
    printf("\n");
}

static void at_end(int sig, siginfo_t *info, void *context)
{
    static const char *const names[] = {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip"};
    const ucontext_t *uc = context;
    const uint8_t *fp = (const uint8_t *)uc->uc_mcontext.fpregs;
    uint64_t w[4];

    printf("signal %d code %d trap %lld flags %llx\n", sig, info->si_code, uc->uc_mcontext.gregs[REG_TRAPNO], uc->uc_mcontext.gregs[REG_EFL] & 0xcd5);
    for (unsigned r = 0; r < sizeof names / sizeof names[0]; r++)
        words(names[r], (const uint64_t *)&uc->uc_mcontext.gregs[r], 1);
    printf("control %02x%02x status %02x%02x tags %02x\n", fp[1], fp[0], fp[3], fp[2], fp[4]);
    for (unsigned r = 0; r < 8; r++) {
        memcpy(w, fp + 32 + 16 * r, 16);
        w[1] &= 0xffff;
        words("st", w, 2);
    }
    for (unsigned r = 0; r < 16; r++) {
        /* the upper halves are stored only if they are in use */
        memcpy(w, fp + 160 + 16 * r, 16);
        memset(w + 2, 0, 16);
        if (*(const uint32_t *)(const void *)(fp + SW_MAGIC) && (fp[XSTATE_BV] & AVX))
            memcpy(w + 2, fp + YMM_HIGH + 16 * r, 16);
        words("ymm", w, 4);
    }
    fflush(stdout);
    _exit(0);
}

static void map(uint64_t at, uint64_t bytes)
{
    if (mmap((void *)at, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED) {
        perror("flat: mmap");
        exit(2);
    }
}

/* BIN/NAME -> BIN/../build/NAME.WHAT */
static int open_beside(const char *self, const char *what)
{
    char path[4096];
    const char *name = strrchr(self, '/');

    if (!name)
        return -1;
    snprintf(path, sizeof path, "%.*s/../build/%s.%s", (int)(name - self), self, name + 1, what);
    return open(path, O_RDONLY);
}

int main(int argc, char **argv)
{
    int fd = open_beside(argv[0], "flat"), regions = open_beside(argv[0], "regions");
    struct stat st;
    struct sigaction act = {.sa_sigaction = at_end, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static uint8_t alternate[1 << 16];
    stack_t other = {alternate, 0, sizeof alternate};
    unsigned long long at, bytes;
    FILE *f = regions < 0 ? NULL : fdopen(regions, "r");

    (void)argc;
    if (fd < 0 || fstat(fd, &st) || !f) {
        fprintf(stderr, "flat: %s: no code beside it\n", argv[0]);
        return 2;
    }
    map(CODE, ((uint64_t)st.st_size + 0x1fff) & ~0xfffull);
    map(DATA, DATA_BYTES);
    map(STACK, STACK_BYTES);
    while (fscanf(f, "%llx %llu", &at, &bytes) == 2)
        map(at, bytes);
    if (read(fd, (void *)CODE, (size_t)st.st_size) != st.st_size)
        return 2;
    sigaltstack(&other, NULL);
    for (int sig = 1; sig < 32; sig++)
        if (sig != SIGKILL && sig != SIGSTOP)
            sigaction(sig, &act, NULL);
    __asm__ volatile("mov %0, %%rsp\n push %1\n"
                     "xor %%eax, %%eax\n xor %%ebx, %%ebx\n xor %%ecx, %%ecx\n xor %%edx, %%edx\n xor %%esi, %%esi\n xor %%edi, %%edi\n xor %%ebp, %%ebp\n"
                     "xor %%r8, %%r8\n xor %%r9, %%r9\n xor %%r10, %%r10\n xor %%r11, %%r11\n xor %%r12, %%r12\n xor %%r13, %%r13\n xor %%r14, %%r14\n"
                     "xor %%r15, %%r15\n ret"
                     : : "r"(STACK + STACK_BYTES), "r"(CODE) : "memory");
    return 2;
}
