/* context.c - registers, flags and floating point state across handlers; contexts that handlers change or leave. */
#include "stress.h"

#include <setjmp.h>

static pthread_t victim;
static atomic_bool stop;
static atomic_uint calls;

/* Uses everything that a handler may use. */
static void clobber(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    calls++;
    __asm__ volatile("pxor %%xmm0, %%xmm0; movaps %%xmm0, %%xmm1; movaps %%xmm0, %%xmm7; movaps %%xmm0, %%xmm15; fninit; fldpi; fldpi;"
                     "pushq $0x1f80; ldmxcsr (%%rsp); pop %%rax; std; cld; cmp %%eax, %%eax; mov $-1, %%r8; mov $-1, %%r15; mov $-1, %%rcx"
                     ::: "rax", "rcx", "r8", "r15", "xmm0", "xmm1", "xmm7", "xmm15", "st", "st(1)", "cc", "memory");
}

static void *bother(void *p)
{
    (void)p;
    while (!stop) {
        pthread_kill(victim, SIGUSR1);
        usleep(draw(100));
    }
    return NULL;
}

static int bothered(unsigned n, bool (*check)(void))
{
    pthread_t t;
    bool good = true;

    victim = pthread_self();
    on(SIGUSR1, clobber, 0);
    t = start(bother, NULL);
    while (calls < n && good)
        good = check();
    stop = true;
    pthread_join(t, NULL);
    CHECK(good);
    return 0;
}

/* A long addition: the carry lives in the flags from one turn to the next. */
static bool carries(void)
{
    uint64_t a = ~0ull, low = 1, high = 0, times = 5000;

    __asm__ volatile("1: add %2, %0\n adc $0, %1\n mov %0, %%rax\n mov %%rax, %%rdx\n lea 1(%%rdx), %%rdx\n dec %3\n jnz 1b"
                     : "+r"(low), "+r"(high) : "r"(a), "r"(times) : "rax", "rdx", "cc");
    return low == 1 - 5000ull && high == 4999; /* all but one */
}

/* Flags that are set once and read much later, over instructions that leave them alone. */
static bool flags_stay(void)
{
    uint64_t wrong = 0, times = 3000;

    __asm__ volatile("1: mov $0x7fffffff, %%eax\n add $1, %%eax\n" /* OF SF AF PF */
                     "mov %%rsp, %%rdx\n lea (%%rdx,%%rdx), %%rdx\n mov %%rdx, %%rcx\n nop\n mov (%%rsp), %%rcx\n movzbl %%cl, %%ecx\n"
                     "pushfq\n pop %%rax\n and $0x8d5, %%eax\n xor $0x894, %%eax\n or %%rax, %0\n dec %1\n jnz 1b"
                     : "+r"(wrong), "+r"(times) : : "rax", "rcx", "rdx", "cc", "memory");
    return wrong == 0;
}

static bool floats_stay(void)
{
    double sum = 0;
    long double lsum = 0;

    for (int i = 1; i < 1000; i++) {
        sum += 1.0 / i;
        lsum += 1.0L / (long double)i;
    }
    return sum > 7.48447 && sum < 7.48448 && lsum > 7.48447L && lsum < 7.48448L;
}

static bool vectors_stay(void)
{
    uint64_t out[2] = {0, 0};

    __asm__ volatile("pcmpeqd %%xmm7, %%xmm7; psrlq $40, %%xmm7; pxor %%xmm15, %%xmm15; mov $2000, %%ecx\n"
                     "1: paddq %%xmm7, %%xmm15; movaps %%xmm15, %%xmm0; psubq %%xmm7, %%xmm0; paddq %%xmm7, %%xmm0; movaps %%xmm0, %%xmm15;"
                     "dec %%ecx; jnz 1b; movups %%xmm15, %0" : "=m"(out) : : "rcx", "xmm0", "xmm7", "xmm15", "cc");
    return out[0] == 2000ull * 0xffffff && out[1] == out[0];
}

/* A repeated string instruction goes on where it was. */
static bool strings_whole(void)
{
    static char from[20000], to[20000];
    char *d = to;
    const char *s = from;
    size_t n = sizeof from, left;

    for (size_t i = 0; i < n; i++)
        from[i] = (char)(i * 7);
    memset(to, 0, n);
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    if (n || d != to + sizeof to || memcmp(from, to, sizeof to))
        return false;
    to[15000] ^= 1;
    d = to, s = from, n = sizeof from;
    __asm__ volatile("repe cmpsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory", "cc");
    left = sizeof from - 15001;
    return n == left && d == to + 15001;
}

static int carry(unsigned n) { return bothered(n, carries); }
static int status_flags(unsigned n) { return bothered(n, flags_stay); }
static int floating_point(unsigned n) { return bothered(n, floats_stay); }
static int vectors(unsigned n) { return bothered(n, vectors_stay); }
static int string_instructions(unsigned n) { return bothered(n, strings_whole); }

/* ---- contexts that are changed ---- */

extern const char loop_begin[], loop_end[], loop_left[];
static atomic_uint elsewhere;

/* Out of the endless loop, with values in registers.  Should the signal come elsewhere the sender tries again. */
static void redirect(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)sig, (void)info;
    if (g[REG_RIP] < (greg_t)(uintptr_t)loop_begin || g[REG_RIP] >= (greg_t)(uintptr_t)loop_end) {
        elsewhere++;
        return;
    }
    g[REG_RIP] = (greg_t)(uintptr_t)loop_left;
    g[REG_R12] = g[REG_RBX] - 2 * g[REG_RCX]; /* in the loop they keep this relation at every instruction but one */
    g[REG_EFL] |= 1;
    calls++;
}

__attribute__((noinline)) static uint64_t endless(uint64_t *carry)
{
    uint64_t relation;

    __asm__ volatile("xor %%ebx, %%ebx; xor %%ecx, %%ecx; jmp 1f\n"
                     "loop_begin: 1: lea 2(%%rbx), %%rbx\n lea 1(%%rcx), %%rcx\n mov %%rcx, %%rax\n xor %%rdx, %%rdx\n jmp 1b\nloop_end:\n"
                     "loop_left: mov %%r12, %0\n setc %%al\n movzbl %%al, %%eax\n mov %%rax, %1"
                     : "=r"(relation), "=r"(*carry) : : "rax", "rbx", "rcx", "rdx", "r12", "cc");
    return relation;
}

static void *until_redirected(void *p)
{
    unsigned n = *(unsigned *)p;

    while (calls < n) {
        pause_a_while();
        pthread_kill(victim, SIGUSR1);
        usleep(draw(50));
    }
    return NULL;
}

static int edited_context(unsigned n)
{
    pthread_t t;

    victim = pthread_self();
    on(SIGUSR1, redirect, 0);
    t = start(until_redirected, &n);
    while (calls < n) {
        uint64_t carry, relation = endless(&carry);

        CHECK((relation == 0 || relation == 2) && carry == 1);
    }
    pthread_join(t, NULL);
    return 0;
}

/* ---- contexts that are left ---- */

static sigjmp_buf back;
static volatile sig_atomic_t armed;

static void jump(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    calls++;
    if (armed) {
        armed = 0;
        siglongjmp(back, 1);
    }
}

static int jumped_out(unsigned n)
{
    volatile unsigned jumps = 0;
    pthread_t t;

    victim = pthread_self();
    on(SIGUSR1, jump, 0);
    t = start(until_redirected, &n);
    while (calls < n) {
        sigset_t now;

        if (!sigsetjmp(back, 1)) {
            armed = 1;
            for (;;)
                compute(10);
        }
        jumps++;
        sigprocmask(SIG_BLOCK, NULL, &now);
        CHECK(!sigismember(&now, SIGUSR1));
    }
    armed = 0;
    pthread_join(t, NULL);
    CHECK(jumps > 0);
    return 0;
}

/* ---- coroutines, with signals coming in ---- */

static ucontext_t main_context, routine[3];
static char stacks[3][65536];
static volatile uint64_t steps[3];

static void run(int k)
{
    for (;;) {
        steps[k]++;
        swapcontext(&routine[k], draw(3) ? &routine[(k + 1) % 3] : &main_context);
    }
}

static bool switched(void)
{
    uint64_t before = steps[0] + steps[1] + steps[2];

    swapcontext(&main_context, &routine[draw(3)]);
    return steps[0] + steps[1] + steps[2] > before;
}

static int coroutines(unsigned n)
{
    for (int k = 0; k < 3; k++) {
        getcontext(&routine[k]);
        routine[k].uc_stack = (stack_t){.ss_sp = stacks[k], .ss_size = sizeof stacks[k]};
        makecontext(&routine[k], (void (*)(void))run, 1, k);
    }
    return bothered(n, switched);
}

/* A handler that ends by setcontext. */
static ucontext_t resume;
static volatile int resumed;

static void set_context(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    calls++;
    setcontext(&resume);
}

static int set_by_handler(unsigned n)
{
    on(SIGUSR1, set_context, 0);
    for (unsigned i = 0; i < n; i++) {
        resumed = 0;
        getcontext(&resume);
        if (!resumed) {
            resumed = 1;
            pause_a_while();
            raise(SIGUSR1);
            CHECK(!"come back from a handler that left");
        }
        CHECK(calls == i + 1);
    }
    return 0;
}

const struct stress_test context_tests[] = {
    {"carry", "the carry of a long addition, under signals", carry},
    {"status_flags", "all status flags, under signals", status_flags},
    {"floating_point", "x87 and SSE, under signals", floating_point},
    {"vectors", "vector registers, under signals", vectors},
    {"string_instructions", "repeated string instructions, under signals", string_instructions},
    {"edited_context", "a handler moves the program counter and sets registers", edited_context},
    {"jumped_out", "siglongjmp out of computation, with its mask", jumped_out},
    {"coroutines", "swapcontext, under signals", coroutines},
    {"set_by_handler", "setcontext in a handler", set_by_handler},
    {NULL, NULL, NULL},
};
