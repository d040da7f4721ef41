/* state_faults.c - what a handler is told when x87 or extended state is stored where it cannot be: 16-bit fnstenv and fnsave, xsave of
 * the components that all processors have.  Over the end of what is mapped, of what may be written, of a file; nowhere; to no address. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, X87_AND_SSE = 3, XSAVE_BYTES = 576 };

static sigjmp_buf back;
static char *base;
extern const char env_insn[], all_insn[], xsave_insn[], xsavec_insn[];

static void on_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const struct _libc_fpstate *f = ((ucontext_t *)context)->uc_mcontext.fpregs;
    const char *at = info->si_addr;

    printf(" control %x status %x,", f->cwd, f->swd);
    printf(" signal %d code %d error %llx trap %llx flags %llx", number, info->si_code, (unsigned long long)r[REG_ERR],
           (unsigned long long)r[REG_TRAPNO], (unsigned long long)r[REG_EFL] & 0x10000);
    printf(at >= base && at < base + 3 * PAGE ? " at byte %td\n" : " at %td\n", at >= base && at < base + 3 * PAGE ? at - base : (intptr_t)at);
    if (r[REG_RIP] != (greg_t)env_insn && r[REG_RIP] != (greg_t)all_insn && r[REG_RIP] != (greg_t)xsave_insn && r[REG_RIP] != (greg_t)xsavec_insn)
        printf(" and elsewhere\n");
    siglongjmp(back, 1);
}

static void store_env(void *to) { __asm__ volatile("env_insn: .byte 0x66\n fnstenv (%0)" :: "r"(to) : "memory"); }

static void store_all(void *to) { __asm__ volatile("all_insn: .byte 0x66\n fnsave (%0)" :: "r"(to) : "memory"); }

static void store_x(void *to) { __asm__ volatile("xsave_insn: xsave64 (%0)" :: "r"(to), "a"(X87_AND_SSE), "d"(0) : "memory"); }

static void store_compact(void *to) { __asm__ volatile("xsavec_insn: xsavec64 (%0)" :: "r"(to), "a"(X87_AND_SSE), "d"(0) : "memory"); }

static void try(const char *what, void (*store)(void *), char *to)
{
    printf("%s", what);
    __asm__ volatile("fninit\n fldcw %0\n fld1\n fldpi" :: "m"((uint16_t){0x27f}) : "memory");
    if (sigsetjmp(back, 1))
        return;
    store(to);
    printf(" stored\n");
}

static void try_all(void (*store)(void *), unsigned bytes, unsigned step)
{
    FILE *file = tmpfile();
    char what[40];

    for (unsigned n = step; n < bytes; n += step) {
        sprintf(what, "%u before the end:", n);
        try(what, store, base + PAGE - n);
    }
    (void)mmap(base + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    try("into what may only be read:", store, base + PAGE - step);
    try("there:", store, base + PAGE);
    mprotect(base + PAGE, PAGE, PROT_NONE);
    try("nothing allowed:", store, base + PAGE - step);
    if (ftruncate(fileno(file), PAGE) || mmap(base, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(file), 0) == MAP_FAILED)
        printf("no file\n");
    try("over the end of a file:", store, base + PAGE - step);
    fclose(file);
    try("at 64:", store, (char *)64);
    try("to no address:", store, (char *)(1ull << 62));
    (void)mmap(base, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    munmap(base + PAGE, PAGE);
}

/* CPUID: a bit of a register, of eax, ebx, ecx, edx. */
static int has(uint32_t leaf, uint32_t subleaf, int which, uint32_t bit)
{
    uint32_t r[4];

    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
    return (r[which] & bit) != 0;
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    base = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(base + PAGE, PAGE);
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
    puts("fnstenv");
    try_all(store_env, 14, 1);
    puts("fnsave");
    try_all(store_all, 94, 7);
    if (has(1, 0, 2, 1u << 27)) {
        puts("xsave");
        try_all(store_x, XSAVE_BYTES, 64);
        try("not aligned:", store_x, base + 8);
        puts("xsavec");
        if (has(0xd, 1, 0, 2))
            try_all(store_compact, XSAVE_BYTES, 64);
    }
    return 0;
}
