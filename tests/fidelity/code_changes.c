/* code_changes.c - code that changes: memory mapped twice, a store into its own block, read() into code, a file mapped
 * anew, code that is copied about, a patch by another process, flags that only the new code needs, stores through the stack pointer,
 * code that madvise takes away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code.h"

/* A page of a new file, once to be written and once to be run; the file, -1 if there is none to be had. */
static int map_twice(uint8_t **w, uint8_t **x)
{
    int fd = memfd_create("code", 0);

    if (ftruncate(fd, 4096))
        return -1;
    *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *x = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    return fd;
}

static void mapped_twice(void)
{
    uint8_t *w, *x;
    int fd = map_twice(&w, &x), sum = 0;

    if (fd < 0)
        return;
    for (int i = 0; i < 100; i++) {
        put_code(w, i * i);
        sum += call(x);
    }
    printf("mapped twice: %d\n", sum);
    for (int i = 0; i < 100; i++) { /* one byte, by pwrite */
        uint8_t low = (uint8_t)i;

        if (pwrite(fd, &low, 1, 1) == 1)
            sum += call(x);
    }
    printf("by pwrite: %d\n", sum);
    if (fork() == 0) {
        put_code(w, 4242);
        _exit(0);
    }
    wait(NULL);
    printf("by another process: %d\n", call(x));
}

/* movb $7, 1+0f(%rip) ; 0: mov $1, %eax ; ret: the store changes the next instruction. */
/* A file in memory, or without a name, that is mapped privately, and executable from the beginning or later, then written to in several ways. */
static void private_memory(int fd, int first)
{
    int other = memfd_create("other", 0), sum = 0;
    uint8_t *x, *w, buf[sizeof template];
    int64_t from = 0, to = 0;

    if (ftruncate(fd, 8192) || ftruncate(other, 4096))
        return;
    put_code(buf, 1);
    sum += pwrite(fd, buf, sizeof buf, 0) < 0;
    x = mmap(NULL, 4096, first, MAP_PRIVATE, fd, 0);
    w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    mprotect(x, 4096, PROT_READ | PROT_EXEC);
    printf("private: %d", call(x));
    for (int i = 2; i < 50; i++) {
        put_code(buf, i);
        if (pwrite(fd, buf, sizeof buf, 0) > 0)
            sum += call(x);
        put_code(w, 3 * i);
        sum += call(x);
    }
    put_code(buf, 4000);
    if (pwrite(other, buf, sizeof buf, 0) > 0 && copy_file_range(other, &from, fd, &to, sizeof buf, 0) > 0)
        sum += call(x);
    put_code(buf, 90000);
    if (pwrite(other, buf, sizeof buf, 0) > 0 && lseek(fd, 0, SEEK_SET) == 0 && sendfile(fd, other, &(off_t){0}, sizeof buf) > 0)
        sum += call(x);
    printf(" %d\n", sum);
}

static void own_block(void)
{
    static const uint8_t code[] = {0xc6, 0x05, 1, 0, 0, 0, 7, 0xb8, 1, 0, 0, 0, 0xc3};
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(x, code, sizeof code);
    printf("a store into its own block: %d\n", call(x));
    x[8] = 9;
    x[6] = 9;
    printf("and again: %d\n", call(x));
}

static void read_into_code(void)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), buf[sizeof template];
    int p[2], sum = 0;

    if (pipe(p))
        return;
    for (int i = 1; i <= 50; i++) {
        put_code(buf, i);
        if (write(p[1], buf, sizeof buf) != sizeof buf || read(p[0], x, sizeof buf) != sizeof buf)
            return;
        sum += call(x);
    }
    printf("read() into code: %d\n", sum);
}

static void protected_between(void)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;

    for (int i = 0; i < 50; i++) {
        mprotect(x, 4096, PROT_READ | PROT_WRITE);
        put_code(x + 16 * (i % 3), 3 * i);
        mprotect(x, 4096, PROT_READ | PROT_EXEC);
        sum += call(x + 16 * (i % 3));
    }
    printf("mprotect: %d\n", sum);
}

static void mapped_anew(void)
{
    int a = memfd_create("a", 0), b = memfd_create("b", 0), sum = 0;
    uint8_t buf[4096], *x = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* nothing else lies there */

    put_code(buf, 1000);
    if (write(a, buf, sizeof buf) < 0)
        return;
    put_code(buf, 1);
    if (write(b, buf, sizeof buf) < 0)
        return;
    for (int i = 0; i < 20; i++) {
        x = mmap(x, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, i % 2 ? a : b, 0);
        sum += call(x);
    }
    printf("mapped anew: %d\n", sum);
    for (int i = 0; i < 10; i++) {
        x = mremap(x, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, x + (i % 2 ? -8192 : 8192));
        sum += call(x);
    }
    printf("moved: %d\n", sum);
}

/* Code that writes the flags becomes code that reads them, without a system call between: it finds those of its caller. */
static void flags_kept(void)
{
    static const uint8_t writes[] = {0x31, 0xc0, 0xc3}, reads[] = {0x0f, 0x92, 0xc0, 0x0f, 0x94, 0xc4, 0xc3}; /* xor; setc %al; setz %ah */
    uint8_t *w, *x;
    int found = 0;

    if (map_twice(&w, &x) < 0)
        return;
    for (int i = 0; i < 100; i++) {
        const bool carry = i & 2, zero = i & 4;
        long flags = carry | zero << 6, result = 0;

        memcpy(w, i & 1 ? reads : writes, i & 1 ? sizeof reads : sizeof writes);
        __asm__ volatile("push %2\n popf\n call *%1" : "+a"(result) : "r"(x), "r"(flags) : "cc", "memory");
        found += i & 1 && result == (carry | zero << 8);
    }
    printf("flags that only the new code needs: %d\n", found);
}

/* ---- the stack lies in the code, and a store through rsp changes the next instruction ---- */

extern const char by_store[], by_push[], far_away[], end_of_them[];
__asm__("by_store: mov %rsp, %rdx; lea 1f+1(%rip), %rsp; movb $7, (%rsp); 1: mov $1, %eax; mov %rdx, %rsp; ret\n"
        "by_push: mov %rsp, %rdx; lea 1f+9(%rip), %rsp; movabs $0x7b8909090, %rcx; push %rcx; nop\n"
        "1: .fill 3, 1, 0x90; mov $1, %eax; nop; nop; mov %rdx, %rsp; ret\n"
        "far_away: mov %rsp, %rdx; lea 1f-0x80(%rip), %rsp; movb $9, 0x81(%rsp); nop; 1: mov $1, %eax; mov %rdx, %rsp; ret\n"
        "end_of_them:");

static int run_copy(void *at, const char *from)
{
    memcpy(at, from, (size_t)(end_of_them - from));
    return call(at);
}

static void stack_in_code(void)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < 2; i++)
        printf("stores through rsp: %d %d %d\n", run_copy(x + 1024, by_store), run_copy(x + 2048, by_push), run_copy(x + 3072, far_away));
}

/* ---- madvise: what becomes of code, here and in a child ---- */

enum { LOCKED = 24, GUARD = 102, NO_GUARD = 103 }; /* MADV_DONTNEED_LOCKED, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE */

static sigjmp_buf back;
static void *there;

static void tell_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf(" signal %d code %d %s", sig, info->si_code, info->si_addr == there ? "there" : "elsewhere");
    siglongjmp(back, 1);
}

static void tell_call(void *code)
{
    there = code;
    if (!sigsetjmp(back, 1))
        printf(" %d", call(code));
    fflush(stdout);
}

static uint8_t *code_of_kind(int kind)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, (kind ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);

    put_code(x, 42);
    mprotect(x, 4096, PROT_READ | PROT_EXEC | (kind > 1 ? PROT_WRITE : 0));
    tell_call(x);
    return x;
}

static void advise(int kind, int advice)
{
    uint8_t *x = code_of_kind(kind);
    bool done = !madvise(x, 4096, advice);

    printf(" kind %d, advice %d %s:", kind, advice, done ? "" : strerror(errno));
    tell_call(x);
    if (advice == GUARD && done && !madvise(x, 4096, NO_GUARD))
        tell_call(x);
    if (fork() == 0) {
        printf(" the child:");
        tell_call(x);
        _exit(0);
    }
    wait(NULL);
    printf("\n");
}

static void advised(void)
{
    static const int advices[] = {MADV_DONTNEED, LOCKED, GUARD, MADV_REMOVE, MADV_DONTFORK, MADV_WIPEONFORK};
    struct sigaction act = {.sa_sigaction = tell_fault, .sa_flags = SA_SIGINFO}, none = {.sa_handler = SIG_DFL};
    struct iovec range = {NULL, 4096};
    long own = syscall(SYS_pidfd_open, getpid(), 0);

    sigaction(SIGSEGV, &act, NULL);
    for (int kind = 0; kind < 3; kind++)
        for (unsigned i = 0; i < sizeof advices / sizeof *advices; i++)
            advise(kind, advices[i]);
    range.iov_base = code_of_kind(0);
    printf(" process_madvise %s:", syscall(SYS_process_madvise, own, &range, 1ul, MADV_DONTNEED, 0) < 0 ? strerror(errno) : "");
    tell_call(range.iov_base);
    printf("\n");
    sigaction(SIGSEGV, &none, NULL);
}

int main(void)
{
    char name[40];

    mapped_twice();
    private_memory(memfd_create("code", 0), PROT_READ | PROT_EXEC);
    private_memory(memfd_create("code", 0), PROT_READ);
    private_memory(open("/dev/shm", O_TMPFILE | O_RDWR, 0600), PROT_READ);
    private_memory(open("/tmp", O_TMPFILE | O_RDWR, 0600), PROT_READ | PROT_EXEC);
    sprintf(name, "/quern-code-%d", (int)getpid());
    private_memory(shm_open(name, O_CREAT | O_RDWR, 0600), PROT_READ);
    shm_unlink(name);
    own_block();
    read_into_code();
    protected_between();
    mapped_anew();
    flags_kept();
    stack_in_code();
    advised();
    return 0;
}
