/* memory_limits.c - RLIMIT_AS and RLIMIT_DATA that a program sets itself: only what it maps counts, and what does not fit is refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1ul << 20)

static void try(const char *what)
{
    size_t bytes = 1024 * MIB;
    char *p = malloc(bytes), *small = malloc(MIB), *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *moved;
    void *reserved = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    printf("%s: malloc %d, small %d, mmap %d, reserved %d, sbrk %d", what, p != NULL, small != NULL, map != MAP_FAILED, reserved != MAP_FAILED,
           sbrk((long)bytes) != (void *)-1);
    moved = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    moved = mremap(moved, MIB, bytes, MREMAP_MAYMOVE);
    printf(", mremap %d\n", moved != MAP_FAILED);
}

/* How many MiB there are until there is no more, to within 8. */
static void fill(void)
{
    unsigned n = 0;
    char *first = NULL, *p;

    while (n < 1000 && (p = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED) {
        p[0] = 1;
        first = first ? first : p;
        n++;
    }
    printf("full after %u", n);
    p = first ? mmap(first, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) : NULL;
    printf(", in place of one %d", p == first);
    munmap(first, 8 * MIB);
    printf(", again %d\n", mmap(NULL, 8 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void limited(int which, const char *name)
{
    struct rlimit limit = {256 * MIB, 300 * MIB}, got, wrong = {300 * MIB, 200 * MIB};

    if (fork() == 0) {
        try(name);
        printf("set %d, ", setrlimit(which, &limit));
        printf("get %d: ", prlimit(0, which, NULL, &got));
        printf("%lu %lu, wrong %d\n", (unsigned long)(got.rlim_cur / MIB), (unsigned long)(got.rlim_max / MIB), setrlimit(which, &wrong));
        try("limited");
        if (fork() == 0) {
            try("a child");
            exit(0);
        }
        wait(NULL);
        fill();
        fflush(stdout);
        execl("/bin/sh", "sh", "-c", "ulimit -v; ulimit -d; ulimit -H -v", NULL);
    }
    wait(NULL);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    limited(RLIMIT_AS, "address space");
    limited(RLIMIT_DATA, "data");
    return 0;
}
