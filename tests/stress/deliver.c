/* deliver.c - signals arrive: each, once, in order, with what was sent along. */
#include "stress.h"

static atomic_int counts[65], last[65], disorder, code, sender;
static volatile uint64_t arrived;

static void count(int sig, siginfo_t *info, void *context)
{
    (void)context;
    counts[sig]++;
    code = info->si_code;
    sender = info->si_pid;
}

/* Values of one signal come in the order in which they were sent. */
static void in_order(int sig, siginfo_t *info, void *context)
{
    (void)context;
    disorder += info->si_value.sival_int != last[sig] + 1;
    last[sig] = info->si_value.sival_int;
    counts[sig]++;
    arrived++;
}

static int kill_self(unsigned n)
{
    on(SIGUSR1, count, 0);
    for (unsigned i = 0; i < n; i++) {
        pause_a_while();
        kill(getpid(), SIGUSR1);
        CHECK(counts[SIGUSR1] == (int)i + 1 && code == SI_USER && sender == getpid());
    }
    return 0;
}

static bool catchable(int sig) { return sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33; }

/* Signals that faults raise among them: sent, they are signals like others. */
static int every_number(unsigned n)
{
    for (int sig = 1; sig <= 64; sig++)
        if (catchable(sig))
            on(sig, count, 0);
    for (unsigned i = 0; i < n; i++) {
        int sig = 1 + (int)draw(64);

        if (!catchable(sig))
            continue;
        int before = counts[sig];

        raise(sig);
        CHECK(counts[sig] == before + 1 && code == SI_TKILL);
    }
    return 0;
}

static int blocked_every_number(unsigned n)
{
    for (int sig = 1; sig <= 64; sig++)
        if (catchable(sig))
            on(sig, count, 0);
    for (unsigned i = 0; i < n; i++) {
        int sig = 1 + (int)draw(31), before;
        sigset_t old, pending;

        if (!catchable(sig))
            continue;
        old = block(sig);
        before = counts[sig];
        kill(getpid(), sig);
        pause_a_while();
        kill(getpid(), sig);
        CHECK(counts[sig] == before);
        sigpending(&pending);
        CHECK(sig == SIGTRAP || sigismember(&pending, sig));
        sigprocmask(SIG_SETMASK, &old, NULL);
        CHECK(counts[sig] == before + 1);
    }
    return 0;
}

/* ---- from another thread, while this one computes ---- */

static pthread_t victim;
static unsigned rounds;
static atomic_uint acknowledged;

static void acknowledge(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    acknowledged++;
}

static void *one_at_a_time(void *how)
{
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        if (how)
            kill(getpid(), SIGUSR1);
        else
            pthread_kill(victim, SIGUSR1);
        while (acknowledged != i + 1)
            sched_yield();
    }
    return NULL;
}

static int while_computing(unsigned n, void *how)
{
    uint64_t expected = compute(300);
    pthread_t t;

    victim = pthread_self();
    rounds = n;
    on(SIGUSR1, acknowledge, 0);
    t = start(one_at_a_time, how);
    while (acknowledged < n)
        CHECK(compute(300) == expected);
    pthread_join(t, NULL);
    CHECK(acknowledged == n);
    return 0;
}

static int thread_kill(unsigned n) { return while_computing(n, NULL); }
static int process_kill(unsigned n) { return while_computing(n, "process"); }

static void *many_in_order(void *p)
{
    union sigval v;
    int next[65] = {0};

    (void)p;
    for (unsigned i = 0; i < rounds; i++) {
        int sig = SIGRTMIN + (int)draw((unsigned)(SIGRTMAX - SIGRTMIN + 1));

        v.sival_int = ++next[sig];
        while (pthread_sigqueue(victim, sig, v))
            sched_yield();
        if (draw(4) == 0)
            pause_a_while();
    }
    return NULL;
}

static int queued(unsigned n)
{
    uint64_t expected = compute(200);
    pthread_t t;

    victim = pthread_self();
    rounds = n;
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
        on(sig, in_order, 0);
    t = start(many_in_order, NULL);
    while (arrived < n)
        CHECK(compute(200) == expected);
    pthread_join(t, NULL);
    CHECK(arrived == n && disorder == 0);
    return 0;
}

/* ---- many at once ---- */

static int previous;

static void ascending(int sig, siginfo_t *info, void *context)
{
    (void)context;
    disorder += sig < previous || (sig == previous && info->si_value.sival_int != last[sig] + 1);
    last[sig] = info->si_value.sival_int;
    previous = sig;
    arrived++;
}

/* The lowest number first, each in the order in which it was sent.  (All are blocked in the handler.) */
static int unblocked_together(unsigned n)
{
    sigset_t all, old;
    union sigval v;

    sigfillset(&all);
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
        on_masked(sig, ascending, 0, &all);
    for (unsigned i = 0; i < n; i++) {
        unsigned sent = 1 + draw(12);
        int next[65] = {0};

        memset(last, 0, sizeof last);
        previous = 0;
        arrived = 0;
        sigprocmask(SIG_BLOCK, &all, &old);
        for (unsigned k = 0; k < sent; k++) {
            int sig = SIGRTMIN + (int)draw(4) * 9;

            v.sival_int = ++next[sig];
            CHECK(sigqueue(getpid(), sig, v) == 0);
        }
        sigprocmask(SIG_SETMASK, &old, NULL);
        CHECK(arrived == sent && disorder == 0);
    }
    return 0;
}

static int ignored(unsigned n)
{
    sigset_t old, pending;

    on(SIGUSR1, count, 0);
    for (unsigned i = 0; i < n; i++) {
        int before = counts[SIGUSR1];

        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1);
        old = block(SIGUSR1);
        pause_a_while();
        kill(getpid(), SIGUSR1);
        sigpending(&pending);
        on(SIGUSR1, count, 0);
        sigprocmask(SIG_SETMASK, &old, NULL);
        CHECK(counts[SIGUSR1] <= before + 1); /* one may have been kept while it was blocked */
        before = counts[SIGUSR1];
        raise(SIGUSR1);
        CHECK(counts[SIGUSR1] == before + 1);
    }
    return 0;
}

static int with_siginfo(unsigned n)
{
    on(SIGUSR2, in_order, 0);
    for (unsigned i = 0; i < n; i++) {
        siginfo_t info;

        memset(&info, 0, sizeof info);
        last[SIGUSR2] = (int)draw(1000);
        info.si_code = -(int)(1 + draw(100));
        info.si_value.sival_int = last[SIGUSR2] + 1;
        pause_a_while();
        CHECK(sigqueue(getpid(), SIGUSR2, info.si_value) == 0 && disorder == 0 && arrived == i + 1);
    }
    return 0;
}

const struct stress_test deliver_tests[] = {
    {"kill_self", "a signal to oneself has come when kill returns", kill_self},
    {"every_number", "every signal can be caught, raised at random", every_number},
    {"blocked_every_number", "blocked, they wait, and come once", blocked_every_number},
    {"thread_kill", "pthread_kill while the target computes", thread_kill},
    {"process_kill", "kill while a thread computes", process_kill},
    {"queued", "real-time signals from another thread: none lost, none doubled, in order", queued},
    {"unblocked_together", "pending ones come lowest first, in order", unblocked_together},
    {"ignored", "an ignored signal is gone, the next one comes", ignored},
    {"with_siginfo", "a value comes along", with_siginfo},
    {NULL, NULL, NULL},
};
