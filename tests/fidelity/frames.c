/* frames.c - what a handler changes in the x87 and vector state of its frame, and what comes of frames that are damaged.
 *
 * Each line: the case; the registers after the handler has returned, or the signal that the return raised. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { X87 = 1, SSE = 2, AVX = 4, OPMASK = 32, ZMM = 64, HI_ZMM = 128 };
enum { FCW = 0, FSW = 2, FTW = 4, MXCSR = 24, ST0 = 32, XMM = 160, SW = 464, BV = 512, COMPACT = 520, RESERVED = 528, YMM = 576 };
#define MAGIC1 0x46505853u

struct state {
    uint8_t area[16384] __attribute__((aligned(64)));
};

static struct state before, after;
static uint64_t supported;
static void (*change)(uint8_t *frame, ucontext_t *uc);
static sigjmp_buf back;
static struct { int code; unsigned long err, trap, bv; } seen;

static void put16(uint8_t *p, uint16_t v) { memcpy(p, &v, sizeof v); }
static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void put64(uint8_t *p, uint64_t v) { memcpy(p, &v, sizeof v); }
static uint32_t get32(const uint8_t *p) { uint32_t v; memcpy(&v, p, sizeof v); return v; }
static uint64_t get64(const uint8_t *p) { uint64_t v; memcpy(&v, p, sizeof v); return v; }

static unsigned offset_of(unsigned component)
{
    unsigned a = 0xd, b, c = component, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return b;
}

static void restore_and_raise(void)
{
    __asm__ volatile("xrstor64 %1\n mov $39, %%eax\n syscall\n" /* getpid */
                     "mov %%eax, %%edi\n mov $10, %%esi\n mov $62, %%eax\n syscall\n" /* kill(pid, SIGUSR1): its frame is made here */
                     "mov $-1, %%eax\n mov $-1, %%edx\n xsave64 %0"
                     : "+m"(after) : "m"(before), "a"(-1), "d"(-1) : "rcx", "r11", "rdi", "rsi", "memory");
}

static void on_usr1(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    uint8_t *frame = (uint8_t *)uc->uc_mcontext.fpregs;

    (void)sig;
    (void)info;
    seen.bv = get64(frame + BV) & (X87 | SSE);
    change(frame, uc);
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;

    (void)sig;
    seen.code = info->si_code;
    seen.err = (unsigned long)uc->uc_mcontext.gregs[REG_ERR];
    seen.trap = (unsigned long)uc->uc_mcontext.gregs[REG_TRAPNO];
    siglongjmp(back, 1);
}

static void tell(void)
{
    const uint8_t *a = after.area;
    uint64_t bv = get64(a + BV);

    /* what is not marked in use may or may not have been written */
    printf(" fcw %x mxcsr %x", *(const uint16_t *)(const void *)(a + FCW), get32(a + MXCSR));
    if (bv & X87)
        printf(" st0 %lx fsw %x ftw %x", get64(a + ST0), *(const uint16_t *)(const void *)(a + FSW), a[FTW]);
    if (bv & SSE)
        for (unsigned r = 0; r < 16; r++)
            if (get64(a + XMM + 16 * r))
                printf(" xmm%u %lx", r, get64(a + XMM + 16 * r));
    if (bv & AVX)
        for (unsigned r = 0; r < 16; r++)
            if (get64(a + YMM + 16 * r))
                printf(" ymm%u %lx", r, get64(a + YMM + 16 * r));
    if (bv & OPMASK && get64(a + offset_of(5)))
        printf(" k0 %lx", get64(a + offset_of(5)));
    if (bv & ZMM && get64(a + offset_of(6)))
        printf(" zmm0 %lx", get64(a + offset_of(6)));
    if (bv & HI_ZMM && get64(a + offset_of(7)))
        printf(" zmm16 %lx", get64(a + offset_of(7)));
}

/* ---- what is in the registers when the signal arrives ---- */

static void initial(void)
{
    memset(&before, 0, sizeof before);
    put16(before.area + FCW, 0x37f);
    put32(before.area + MXCSR, 0x1f80);
}

static void in_use(void)
{
    initial();
    put16(before.area + FCW, 0x27f);
    put32(before.area + MXCSR, 0x1fa0);
    before.area[FTW] = 0xff;
    put64(before.area + ST0, 0x8000000000000001);
    put16(before.area + ST0 + 8, 0x3fff);
    put64(before.area + XMM, 0x1111);
    put64(before.area + YMM, 0x2222);
    put64(before.area + BV, supported & (X87 | SSE | AVX | OPMASK | ZMM | HI_ZMM));
    if (supported & OPMASK)
        put64(before.area + offset_of(5), 0x3333);
    if (supported & ZMM)
        put64(before.area + offset_of(6), 0x4444);
    if (supported & HI_ZMM)
        put64(before.area + offset_of(7), 0x5555);
}

/* ---- what the handler does ---- */

static void nothing(uint8_t *f, ucontext_t *uc) { (void)f; (void)uc; }
static void store_st(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + ST0, 0xc000000000000000); put16(f + ST0 + 8, 0x4000); f[FTW] |= 1; }
static void store_fcw(uint8_t *f, ucontext_t *uc) { (void)uc; put16(f + FCW, 0x77f); }
static void store_mxcsr(uint8_t *f, ucontext_t *uc) { (void)uc; put32(f + MXCSR, 0x9fc0); }
static void store_xmm(uint8_t *f, ucontext_t *uc) { (void)uc; for (unsigned r = 0; r < 16; r++) put64(f + XMM + 16 * r, 3 + r); }
static void store_ymm(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + YMM, 0x77); }
static void mark_ymm(uint8_t *f, ucontext_t *uc) { (void)uc; memset(f + YMM, 0, 256); put64(f + YMM, 0x77); put64(f + BV, get64(f + BV) | (supported & AVX)); }
static void mark_all(uint8_t *f, ucontext_t *uc)
{
    (void)uc;
    for (unsigned c = 5; c < 8; c++)
        if (supported >> c & 1) {
            memset(f + offset_of(c), 0, c == 5 ? 64 : c == 6 ? 512 : 1024);
            put64(f + offset_of(c), 0x70 + c);
        }
    put64(f + BV, get64(f + BV) | (supported & (OPMASK | ZMM | HI_ZMM)));
}
static void unmark(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + BV, 0); }
static void unmark_sse(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + BV, get64(f + BV) & ~(uint64_t)SSE); }
static void fewer(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + SW + 8, X87 | SSE); }
static void sse_alone(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + SW + 8, SSE); }
static void none_at_all(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + SW + 8, 0); }
static void more(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + SW + 8, ~0ull); }
static void legacy(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + SW, 0); }
static void size_zero(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + SW + 16, 0); }
static void size_less(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + SW + 16, get32(f + SW + 16) - 64); }
static void size_huge(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + SW + 16, 1u << 20); }
static void extended_less(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + SW + 4, 512); }
static void magic2(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); put32(f + get32(f + SW + 16), 0); }
static void no_flag(uint8_t *f, ucontext_t *uc) { store_xmm(f, uc); uc->uc_flags &= ~1ul; }
static void no_area(uint8_t *f, ucontext_t *uc) { (void)f; uc->uc_mcontext.fpregs = NULL; }
static void nowhere(uint8_t *f, ucontext_t *uc) { (void)f; uc->uc_mcontext.fpregs = (void *)4096; }
static void kernel_half(uint8_t *f, ucontext_t *uc) { (void)f; uc->uc_mcontext.fpregs = (void *)0xffff800000000000; }
static void unaligned(uint8_t *f, ucontext_t *uc) { memmove(f + 16, f, get32(f + SW + 16) + 4); uc->uc_mcontext.fpregs = (void *)(f + 16); }
static void elsewhere(uint8_t *f, ucontext_t *uc)
{
    static struct state copy;

    memcpy(&copy, f, get32(f + SW + 16) + 4);
    store_xmm(copy.area, uc);
    uc->uc_mcontext.fpregs = (void *)&copy;
}
static void bad_mxcsr(uint8_t *f, ucontext_t *uc) { (void)uc; put32(f + MXCSR, 0xffffffff); }
static void bad_mxcsr_legacy(uint8_t *f, ucontext_t *uc) { bad_mxcsr(f, uc); put32(f + SW, 0); }
static void bad_bv(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + BV, 1ull << 62); }
static void bad_header(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + RESERVED, 1); }
static void compacted(uint8_t *f, ucontext_t *uc) { (void)uc; put64(f + COMPACT, 1ull << 63); }

static const struct {
    const char *name;
    void (*change)(uint8_t *, ucontext_t *);
} cases[] = {
    {"nothing", nothing}, {"stores st0", store_st}, {"stores fcw", store_fcw}, {"stores mxcsr", store_mxcsr}, {"stores xmm", store_xmm},
    {"stores ymm", store_ymm}, {"stores and marks ymm", mark_ymm}, {"stores and marks avx-512", mark_all}, {"marks nothing", unmark},
    {"marks no sse", unmark_sse}, {"x87 and sse only", fewer}, {"sse only", sse_alone}, {"no feature", none_at_all}, {"all features", more},
    {"legacy", legacy}, {"size 0", size_zero}, {"size too small", size_less}, {"size too large", size_huge}, {"extended size too small", extended_less},
    {"no second magic number", magic2}, {"no flag of extended state", no_flag}, {"no state", no_area}, {"state not mapped", nowhere},
    {"state in the kernel", kernel_half}, {"state not aligned", unaligned}, {"state elsewhere", elsewhere}, {"bad mxcsr", bad_mxcsr},
    {"bad mxcsr, legacy", bad_mxcsr_legacy}, {"reserved feature", bad_bv}, {"reserved word", bad_header}, {"compacted", compacted},
};

static void try(const char *registers, unsigned i)
{
    change = cases[i].change;
    memset(&after, 0, sizeof after);
    memset(&seen, 0, sizeof seen);
    printf("%s, %s:", registers, cases[i].name);
    fflush(stdout);
    if (sigsetjmp(back, 1)) {
        printf(" SIGSEGV code %d err %lx trap %lx", seen.code, seen.err, seen.trap);
        change = nothing;
        restore_and_raise(); /* does the state still work? */
    } else {
        restore_and_raise();
        tell();
    }
    printf(" marked %lx\n", seen.bv);
}

int main(void)
{
    struct sigaction usr1 = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO}, segv = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    unsigned a = 1, b, c = 0, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c >> 27 & 1))
        return 77;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    supported = a | (uint64_t)d << 32;
    sigaction(SIGUSR1, &usr1, NULL);
    sigaction(SIGSEGV, &segv, NULL);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        initial();
        try("initial state", i);
        in_use();
        try("in use", i);
    }
    return 0;
}
