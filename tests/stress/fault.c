/* fault.c - faults that the program expects, while other signals come in and other threads want the processor. */
#include "stress.h"

#include <setjmp.h>

#define PAGES 16
#define PAGE 4096

static pthread_t victim;
static atomic_bool stop;
static atomic_uint others;
static volatile unsigned faults;
static volatile int wrong, last_code;
static uint8_t *memory;
static sigjmp_buf back;

static void other(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    others++;
}

/* Sends signals, and so also takes its turns at running: the engine has to interrupt the thread that faults. */
static void *bother(void *p)
{
    (void)p;
    while (!stop) {
        pthread_kill(victim, SIGUSR1);
        for (volatile unsigned i = draw(20000); i; i--)
            ;
    }
    return NULL;
}

static int bothered(unsigned n, int (*run)(unsigned))
{
    pthread_t t;
    int r;

    victim = pthread_self();
    on(SIGUSR1, other, 0);
    t = start(bother, NULL);
    r = run(n);
    stop = true;
    pthread_join(t, NULL);
    return r;
}

static void give_access(int sig, siginfo_t *info, void *context)
{
    uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & -(uintptr_t)PAGE);

    (void)sig, (void)context;
    wrong += info->si_code != SEGV_ACCERR || page < memory || page >= memory + PAGES * PAGE;
    faults++;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static int repaired_run(unsigned n)
{
    memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    on(SIGSEGV, give_access, 0);
    for (unsigned i = 0; i < n; i++) {
        unsigned p = draw(PAGES), at = draw(PAGE / 8);
        volatile uint64_t *word = (volatile uint64_t *)(memory + p * PAGE) + at;
        uint64_t before = *word;

        mprotect(memory + p * PAGE, PAGE, draw(2) ? PROT_NONE : PROT_READ);
        *word += i;
        CHECK(*word == before + i && faults == i + 1 && wrong == 0);
    }
    return 0;
}

static int repaired(unsigned n) { return bothered(n, repaired_run); }

/* ---- instructions that trap: the handler steps over them ---- */

extern const char trap_ud2[], trap_hlt[], trap_int3[], trap_div[];

static const struct trap { const char *at; int sig, code, length, behind; } traps[] = {
    {trap_ud2, SIGILL, ILL_ILLOPN, 2, 0}, {trap_hlt, SIGSEGV, SI_KERNEL, 1, 0}, {trap_int3, SIGTRAP, SI_KERNEL, 0, 1},
    {trap_div, SIGFPE, FPE_INTDIV, 2, 0},
};
static const struct trap *expected;

static void step_over(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    wrong += sig != expected->sig || g[REG_RIP] != (greg_t)(uintptr_t)expected->at + expected->behind || g[REG_RBX] != 0x1122334455667788 ||
             g[REG_R15] != 77 || (expected->sig != SIGTRAP && info->si_code != expected->code);
    last_code = info->si_code;
    g[REG_RIP] += expected->length;
    faults++;
}

__attribute__((noinline)) static uint64_t run_trap(unsigned which)
{
    uint64_t r;

    __asm__ volatile("mov $0x1122334455667788, %%rbx; mov $77, %%r15; xor %%edx, %%edx; mov $5, %%eax; xor %%ecx, %%ecx\n"
                     "cmp $1, %%esi; je 1f; cmp $2, %%esi; je 2f; cmp $3, %%esi; je 3f\n"
                     "trap_ud2: ud2\n jmp 9f\n1:\ntrap_hlt: hlt\n jmp 9f\n2:\ntrap_int3: int3\n jmp 9f\n"
                     "3:\ntrap_div: div %%ecx\n9: lea (%%rbx,%%r15), %0"
                     : "=r"(r) : "S"(which) : "rax", "rbx", "rcx", "rdx", "r15", "cc");
    return r;
}

static int trapped_run(unsigned n)
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGTRAP, SIGFPE};

    for (size_t i = 0; i < LENGTH(signals); i++)
        on(signals[i], step_over, 0);
    for (unsigned i = 0; i < n; i++) {
        unsigned which = draw(LENGTH(traps));

        expected = &traps[which];
        CHECK(run_trap(which) == 0x1122334455667788 + 77 && faults == i + 1 && wrong == 0);
    }
    return 0;
}

static int trapped(unsigned n) { return bothered(n, trapped_run); }

static int breakpoints_run(unsigned n)
{
    on(SIGTRAP, step_over, 0);
    expected = &traps[2];
    for (unsigned i = 0; i < n; i++)
        CHECK(run_trap(2) == 0x1122334455667788 + 77 && faults == i + 1 && wrong == 0 && last_code == SI_KERNEL);
    return 0;
}

static int breakpoints(unsigned n) { return bothered(n, breakpoints_run); }

/* ---- left by siglongjmp ---- */

static void leave(int sig, siginfo_t *info, void *context)
{
    (void)context;
    faults++;
    wrong += info->si_addr != (void *)64 && sig == SIGSEGV;
    siglongjmp(back, sig);
}

static int left_run(unsigned n)
{
    on(SIGSEGV, leave, 0);
    on(SIGFPE, leave, 0);
    for (volatile unsigned i = 0; i < n; i++) {
        volatile int zero = 0, sig = draw(2) ? SIGSEGV : SIGFPE;
        int r = sigsetjmp(back, 1);

        if (!r) {
            if (sig == SIGSEGV)
                *(volatile int *)64 = 1;
            else
                zero = 1000 / zero;
        }
        CHECK(r == sig && faults == i + 1 && wrong == 0);
    }
    return 0;
}

static int left(unsigned n) { return bothered(n, left_run); }

/* ---- a jump to nowhere, to data, beyond the end of a file ---- */

static void nowhere(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)sig;
    wrong += g[REG_RIP] != (greg_t)(uintptr_t)info->si_addr;
    last_code = info->si_code;
    faults++;
    g[REG_RIP] = *(greg_t *)(uintptr_t)g[REG_RSP]; /* back to the caller */
    g[REG_RSP] += 8;
}

static int jumps_run(unsigned n)
{
    static int data = 0xc3;

    on(SIGSEGV, nowhere, 0);
    for (unsigned i = 0; i < n; i++) {
        bool mapped = draw(2);
        void (*f)(void) = (void (*)(void))(mapped ? (uintptr_t)&data : (uintptr_t)4096 + draw(1000));

        f();
        CHECK(faults == i + 1 && wrong == 0 && last_code == (mapped ? SEGV_ACCERR : SEGV_MAPERR));
    }
    return 0;
}

static int jumps(unsigned n) { return bothered(n, jumps_run); }

static int beyond_run(unsigned n)
{
    int fd = memfd_create("short", 0);
    volatile uint8_t *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    on(SIGBUS, leave, 0);
    CHECK(ftruncate(fd, PAGE) == 0);
    for (volatile unsigned i = 0; i < n; i++) {
        if (!sigsetjmp(back, 1)) {
            p[PAGE - 1] = (uint8_t)i;
            p[PAGE + draw(PAGE)] = 1;
            CHECK(!"written beyond the end");
        }
        CHECK(faults == i + 1 && p[PAGE - 1] == (uint8_t)i);
    }
    return 0;
}

static int beyond(unsigned n) { return bothered(n, beyond_run); }

/* The fault's own handler is interrupted, and the other way round. */
static int in_each_other_run(unsigned n)
{
    memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    on(SIGSEGV, give_access, SA_NODEFER);
    for (unsigned i = 0; i < n; i++) {
        mprotect(memory, PAGES * PAGE, PROT_NONE);
        for (unsigned k = 0; k < 4; k++)
            memory[draw(PAGES) * PAGE]++;
        CHECK(wrong == 0);
    }
    return 0;
}

static int in_each_other(unsigned n) { return bothered(n, in_each_other_run); }

const struct stress_test fault_tests[] = {
    {"repaired", "SIGSEGV repaired by mprotect, under signals", repaired},
    {"trapped", "ud2, hlt, int3, division by zero: program counter and registers", trapped},
    {"breakpoints", "int3 while the engine itself interrupts", breakpoints},
    {"left", "faults left by siglongjmp", left},
    {"jumps", "jumps to nowhere and to data", jumps},
    {"beyond", "SIGBUS beyond the end of a file", beyond},
    {"in_each_other", "faults and signals in each other", in_each_other},
    {NULL, NULL, NULL},
};
