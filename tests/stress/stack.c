/* stack.c - on which stack handlers run, nested, disarmed, overflowing; SA_RESETHAND, SA_NODEFER, sa_mask. */
#include "stress.h"

#include <setjmp.h>

#define SIZE 65536
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31) /* linux/signal.h */
#endif

static char alternate[SIZE], second[SIZE];
static volatile int depth, deepest, wanted_depth, misplaced, calls, given;
static sigjmp_buf back;

static bool within(const char *stack, const void *p) { return (const char *)p >= stack && (const char *)p < stack + SIZE; }

static void use(char *stack, int flags)
{
    stack_t s = {.ss_sp = stack, .ss_size = SIZE, .ss_flags = flags};

    given = flags;
    if (sigaltstack(&s, NULL))
        abort();
}

static int flags_now(void)
{
    stack_t s;

    return sigaltstack(NULL, &s) ? -1 : s.ss_flags;
}

static void on_alternate(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *c = context;
    char here;

    (void)sig, (void)info;
    calls++;
    misplaced += !within(alternate, &here) || flags_now() != SS_ONSTACK || c->uc_stack.ss_sp != alternate || c->uc_stack.ss_size != SIZE || c->uc_stack.ss_flags != given;
}

static void on_usual(int sig, siginfo_t *info, void *context)
{
    char here;

    (void)sig, (void)info, (void)context;
    calls++;
    misplaced += within(alternate, &here) || within(second, &here) || flags_now() != 0;
}

static int chosen(unsigned n)
{
    on(SIGUSR1, on_alternate, SA_ONSTACK);
    on(SIGUSR2, on_usual, 0);
    for (unsigned i = 0; i < n; i++) {
        use(alternate, draw(2) ? SS_ONSTACK : 0); /* the former means nothing, but a frame has it */
        pause_a_while();
        raise(draw(2) ? SIGUSR1 : SIGUSR2);
        CHECK(misplaced == 0 && calls == (int)i + 1 && flags_now() == 0);
    }
    return 0;
}

static void nest(int sig, siginfo_t *info, void *context)
{
    char here;

    (void)info, (void)context;
    misplaced += !within(alternate, &here);
    depth++;
    deepest = depth > deepest ? depth : deepest;
    pause_a_while();
    if (depth < wanted_depth)
        raise(sig);
    depth--;
}

/* Each on top of the one before, on the same alternate stack. */
static int nested(unsigned n)
{
    use(alternate, 0);
    on(SIGUSR1, nest, SA_ONSTACK | SA_NODEFER);
    for (unsigned i = 0; i < n; i++) {
        wanted_depth = 1 + (int)draw(8);
        deepest = 0;
        raise(SIGUSR1);
        CHECK(deepest == wanted_depth && depth == 0 && misplaced == 0);
    }
    return 0;
}

static void disarmed(int sig, siginfo_t *info, void *context)
{
    stack_t now, other = {.ss_sp = second, .ss_size = SIZE};

    (void)sig, (void)info;
    calls++;
    sigaltstack(NULL, &now);
    misplaced += now.ss_flags != SS_DISABLE || ((const ucontext_t *)context)->uc_stack.ss_flags != given || !within(alternate, &now);
    if (draw(2))
        misplaced += sigaltstack(&other, NULL) != 0; /* allowed: this stack is not in use as far as the kernel knows */
}

static int autodisarm(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        stack_t now;

        use(alternate, (int)(SS_AUTODISARM | draw(2)));
        on(SIGUSR1, disarmed, SA_ONSTACK);
        pause_a_while();
        raise(SIGUSR1);
        CHECK(misplaced == 0 && calls == (int)i + 1);
        CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == alternate && (unsigned)now.ss_flags == SS_AUTODISARM);
    }
    return 0;
}

static void refused(int sig, siginfo_t *info, void *context)
{
    stack_t other = {.ss_sp = second, .ss_size = SIZE};

    (void)sig, (void)info, (void)context;
    calls++;
    misplaced += sigaltstack(&other, NULL) != -1 || errno != EPERM;
}

static int errors(unsigned n)
{
    stack_t small = {.ss_sp = second, .ss_size = 100}, odd = {.ss_sp = second, .ss_size = SIZE, .ss_flags = 3};

    on(SIGUSR1, refused, SA_ONSTACK);
    for (unsigned i = 0; i < n; i++) {
        use(alternate, 0);
        raise(SIGUSR1);
        CHECK(misplaced == 0 && calls == (int)i + 1);
        CHECK(sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
        CHECK(sigaltstack(&odd, NULL) == -1 && errno == EINVAL);
        use(alternate, SS_DISABLE);
        CHECK(flags_now() == SS_DISABLE);
    }
    return 0;
}

/* ---- a stack that is full ---- */

static void escape(int sig, siginfo_t *info, void *context)
{
    char here;

    (void)info, (void)context;
    misplaced += !within(alternate, &here);
    calls++;
    siglongjmp(back, sig);
}

static int recurse(volatile int level)
{
    volatile char room[4000];

    room[level % 4000] = (char)level;
    return level < 0 ? 0 : recurse(level + 1) + room[0];
}

static void *overflow_here(void *p)
{
    use(alternate, 0);
    for (unsigned i = 0; i < *(unsigned *)p; i++)
        if (!sigsetjmp(back, 1))
            recurse(0);
    use(alternate, SS_DISABLE);
    return NULL;
}

static int overflow(unsigned n)
{
    pthread_attr_t a;
    pthread_t t;

    on(SIGSEGV, escape, SA_ONSTACK);
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 128 << 10);
    CHECK(pthread_create(&t, &a, overflow_here, &n) == 0);
    pthread_join(t, NULL);
    CHECK(calls == (int)n && misplaced == 0);
    return 0;
}

/* ---- flags of actions ---- */

static int reset_hand(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct sigaction now;

        on(SIGURG, on_usual, (int)SA_RESETHAND);
        raise(SIGURG);
        CHECK(calls == (int)i + 1 && sigaction(SIGURG, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
        raise(SIGURG); /* ignored by default */
        CHECK(calls == (int)i + 1);
    }
    return 0;
}

static volatile int order[8], norder;

static void ordered(int sig, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    order[norder++] = sig;
    if (sig == SIGUSR1) {
        raise(SIGUSR2); /* blocked meanwhile */
        order[norder++] = -1;
    }
}

static int masked_meanwhile(unsigned n)
{
    sigset_t two = set_of(SIGUSR2, 0);

    on_masked(SIGUSR1, ordered, 0, &two);
    on(SIGUSR2, ordered, 0);
    for (unsigned i = 0; i < n; i++) {
        norder = 0;
        pause_a_while();
        raise(SIGUSR1);
        CHECK(norder == 3 && order[0] == SIGUSR1 && order[1] == -1 && order[2] == SIGUSR2);
    }
    return 0;
}

static void deferred(int sig, siginfo_t *info, void *context)
{
    int level = ++depth;

    (void)info, (void)context;
    deepest = level > deepest ? level : deepest;
    if (++calls % 3)
        raise(sig);
    depth--;
}

static int deferred_itself(unsigned n)
{
    on(SIGUSR1, deferred, 0);
    for (unsigned i = 0; i < n; i++) {
        pause_a_while();
        raise(SIGUSR1);
        CHECK(calls == 3 * (int)(i + 1) && deepest == 1);
    }
    return 0;
}

const struct stress_test stack_tests[] = {
    {"chosen", "SA_ONSTACK decides on which stack", chosen},
    {"nested", "handlers nest on the alternate stack", nested},
    {"autodisarm", "SS_AUTODISARM: off in the handler, on again afterwards", autodisarm},
    {"errors", "what sigaltstack refuses, and when", errors},
    {"overflow", "a stack overflow is caught on the alternate stack, again and again", overflow},
    {"reset_hand", "SA_RESETHAND", reset_hand},
    {"masked_meanwhile", "sa_mask", masked_meanwhile},
    {"deferred_itself", "a signal is blocked in its own handler", deferred_itself},
    {NULL, NULL, NULL},
};
