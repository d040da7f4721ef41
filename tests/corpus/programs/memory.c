/* memory.c - the address space: brk, anonymous and file mappings, mremap, mprotect, MAP_FIXED, madvise, mincore, a file
 * changed through a mapping, a fault for each kind of forbidden access (as seen by the kernel through a pipe). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096ul
#define CHECK(e) do { if (!(e)) { printf("line %d: %s: %s\n", __LINE__, #e, strerror(errno)); exit(1); } } while (0)

static uint64_t sum(const void *p, size_t n)
{
    const unsigned char *b = p;
    uint64_t h = 14695981039346656037ull;

    while (n--)
        h = (h ^ *b++) * 1099511628211ull;
    return h;
}

static void use_brk(void)
{
    char *start = sbrk(0), *p;

    CHECK((p = sbrk(100 * PAGE)) == start);
    memset(p, 3, 100 * PAGE);
    CHECK(sbrk(-50 * (intptr_t)PAGE) == start + 100 * PAGE);
    CHECK(sbrk(0) == start + 50 * PAGE);
    printf("brk %llx\n", (unsigned long long)sum(p, 50 * PAGE));
}

static void use_anonymous(void)
{
    char *p = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;

    CHECK(p != MAP_FAILED);
    for (size_t i = 0; i < 64 * PAGE; i++)
        p[i] = (char)(i * i >> 3);
    printf("anonymous %llx\n", (unsigned long long)sum(p, 64 * PAGE));
    q = mremap(p, 64 * PAGE, 256 * PAGE, MREMAP_MAYMOVE);
    CHECK(q != MAP_FAILED);
    printf("moved %llx\n", (unsigned long long)sum(q, 256 * PAGE));
    CHECK(madvise(q, 32 * PAGE, MADV_DONTNEED) == 0);
    CHECK(munmap(q + 100 * PAGE, 10 * PAGE) == 0);
    CHECK(mmap(q + 102 * PAGE, 2 * PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == q + 102 * PAGE);
    printf("punched %llx %llx\n", (unsigned long long)sum(q, 100 * PAGE), (unsigned long long)sum(q + 102 * PAGE, PAGE));
    CHECK(munmap(q, 256 * PAGE) == 0);
}

static void use_file(void)
{
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *shared, *private;

    CHECK(fd >= 0 && ftruncate(fd, 10 * PAGE) == 0);
    shared = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    private = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    CHECK(shared != MAP_FAILED && private != MAP_FAILED);
    memset(private + PAGE, 'p', PAGE);
    memset(shared, 's', 3 * PAGE);
    printf("file %llx %llx\n", (unsigned long long)sum(shared, 10 * PAGE), (unsigned long long)sum(private, 10 * PAGE));
    CHECK(msync(shared, 10 * PAGE, MS_SYNC) == 0);
    CHECK(pwrite(fd, "written", 7, 5 * PAGE) == 7);
    printf("%.7s %.7s\n", shared + 5 * PAGE, private + 5 * PAGE);
    close(fd);
}

/* The kernel says EFAULT where the program itself would be killed. */
static void ask_kernel(void)
{
    static const int protections[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
    char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *volatile nowhere = (void *)0x10;
    int pipes[2];

    CHECK(p != MAP_FAILED && pipe(pipes) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(mprotect(p, PAGE, protections[i]) == 0);
        printf("protection %d: write %zd", protections[i], write(pipes[1], p, 1));
        CHECK(write(pipes[1], "x", 1) == 1);
        printf(" read %zd\n", read(pipes[0], p, 1));
    }
    CHECK(write(pipes[1], nowhere, 1) == -1 && errno == EFAULT);
}

static void use_much(void)
{
    size_t n = 200ul << 20;
    char *p = malloc(n);
    uint64_t total = 0;

    CHECK(p);
    for (size_t i = 0; i < n; i += PAGE)
        p[i] = (char)(i >> 12);
    for (size_t i = 0; i < n; i += PAGE)
        total += (unsigned char)p[i];
    printf("much %llu\n", (unsigned long long)total);
    free(p);
    p = mmap(NULL, 1ul << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    printf("a terabyte reserved: %s\n", p == MAP_FAILED ? strerror(errno) : "yes");
}

int main(void)
{
    use_brk();
    use_anonymous();
    use_file();
    ask_kernel();
    use_much();
    return 0;
}
