/* direct.c - signals and threads: who gets which. */
#include "stress.h"

enum { THREADS = 5 };

static pthread_t threads[THREADS];
static atomic_uint got[THREADS], misdirected, total, started;
static atomic_bool stop;
static _Thread_local int me = -1;

static void addressed(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    misdirected += info->si_value.sival_int != me;
    if (me >= 0)
        got[me]++;
    total++;
}

static void *computes(void *p)
{
    me = (int)(intptr_t)p;
    started++;
    while (!stop)
        compute(20);
    return NULL;
}

static void *waits(void *p)
{
    me = (int)(intptr_t)p;
    started++;
    while (!stop)
        usleep(1000);
    return NULL;
}

static void *mixes(void *p) { return draw(2) ? computes(p) : waits(p); }

static int each_its_own(unsigned n, void *(*run)(void *))
{
    unsigned sent[THREADS] = {0};
    union sigval v;

    on(SIGRTMIN, addressed, 0);
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(run, (void *)(intptr_t)i);
    while (started < THREADS) /* a thread must know who it is */
        sched_yield();
    for (unsigned i = 0; i < n; i++) {
        v.sival_int = (int)draw(THREADS);
        pause_a_while();
        while (pthread_sigqueue(threads[v.sival_int], SIGRTMIN, v))
            sched_yield();
        sent[v.sival_int]++;
    }
    while (total < n)
        sched_yield();
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(got[i] == sent[i]);
    }
    CHECK(misdirected == 0);
    return 0;
}

static int to_computing(unsigned n) { return each_its_own(n, computes); }
static int to_waiting(unsigned n) { return each_its_own(n, waits); }
static int to_mixed(unsigned n) { return each_its_own(n, mixes); }

/* ---- to the process: whoever does not block it ---- */

static pthread_t willing;
static pthread_barrier_t ready;

static void taken(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    misdirected += !pthread_equal(pthread_self(), willing);
    total++;
}

static void *blocks_or_takes(void *p)
{
    sigset_t set = set_of(SIGRTMIN + 5, 0);

    if (p)
        willing = pthread_self();
    pthread_sigmask(p ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
    pthread_barrier_wait(&ready);
    while (!stop)
        if (draw(2))
            compute(50);
        else
            sched_yield();
    return NULL;
}

static int only_willing(unsigned n)
{
    union sigval v = {.sival_int = 0};
    pthread_t t[3];

    block(SIGRTMIN + 5);
    on(SIGRTMIN + 5, taken, 0);
    pthread_barrier_init(&ready, NULL, 4);
    for (intptr_t i = 0; i < 3; i++)
        t[i] = start(blocks_or_takes, (void *)(intptr_t)(i == 1));
    pthread_barrier_wait(&ready);
    for (unsigned i = 0; i < n; i++) {
        while (sigqueue(getpid(), SIGRTMIN + 5, v))
            sched_yield();
        if (draw(3) == 0)
            pause_a_while();
    }
    while (total < n)
        sched_yield();
    stop = true;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    CHECK(total == n && misdirected == 0);
    return 0;
}

static void *sigwait_loop(void *p)
{
    sigset_t set = set_of(SIGRTMIN + 6, SIGTERM, 0);
    int sig;

    (void)p;
    for (;;) {
        sigwait(&set, &sig);
        if (sig == SIGTERM)
            return NULL;
        total++;
    }
}

/* All block it; three threads fetch: each value once. */
static int fetched_by_several(unsigned n)
{
    union sigval v = {.sival_int = 0};
    pthread_t t[3];

    block(SIGRTMIN + 6);
    block(SIGTERM);
    for (int i = 0; i < 3; i++)
        t[i] = start(sigwait_loop, NULL);
    for (unsigned i = 0; i < n; i++)
        while (sigqueue(getpid(), SIGRTMIN + 6, v))
            sched_yield();
    while (total < n)
        sched_yield();
    for (int i = 0; i < 3; i++) {
        pthread_kill(t[i], SIGTERM);
        pthread_join(t[i], NULL);
    }
    CHECK(total == n);
    return 0;
}

static void *tells_mask(void *p)
{
    sigset_t now, pending;

    pthread_sigmask(SIG_BLOCK, NULL, &now);
    sigpending(&pending);
    *(int *)p = sigismember(&now, SIGUSR2) && !sigismember(&now, SIGUSR1) && !sigismember(&pending, SIGUSR2);
    return NULL;
}

/* A new thread has its maker's mask, and none of its pending signals. */
static int inherited(unsigned n)
{
    block(SIGUSR2);
    pthread_kill(pthread_self(), SIGUSR2);
    for (unsigned i = 0; i < n; i++) {
        int good = 0;

        pause_a_while();
        pthread_join(start(tells_mask, &good), NULL);
        CHECK(good);
    }
    return 0;
}

/* ---- threads that come and go while signals fly ---- */

static void *short_lived(void *p)
{
    compute(draw(100));
    total++;
    return p;
}

static void ignore(int sig, siginfo_t *info, void *context) { (void)sig, (void)info, (void)context; }

static void *shoots(void *p)
{
    (void)p;
    while (!stop) {
        kill(getpid(), SIGUSR1);
        usleep(draw(100));
    }
    return NULL;
}

static int coming_and_going(unsigned n)
{
    pthread_t t, shooter;

    on(SIGUSR1, ignore, SA_RESTART);
    shooter = start(shoots, NULL);
    for (unsigned i = 0; i < n; i++) {
        t = start(short_lived, NULL);
        CHECK(pthread_join(t, NULL) == 0 && total == i + 1);
    }
    stop = true;
    pthread_join(shooter, NULL);
    return 0;
}

static void *cancelled(void *p)
{
    while (!stop) {
        compute(20);
        pthread_testcancel();
        if (draw(4) == 0)
            usleep(10);
    }
    return p;
}

static int cancel(unsigned n)
{
    pthread_t shooter;
    void *r;

    on(SIGUSR1, ignore, SA_RESTART);
    shooter = start(shoots, NULL);
    for (unsigned i = 0; i < n / 4 + 1; i++) {
        pthread_t t = start(cancelled, NULL);

        pause_a_while();
        pthread_cancel(t);
        CHECK(pthread_join(t, &r) == 0 && r == PTHREAD_CANCELED);
    }
    stop = true;
    pthread_join(shooter, NULL);
    return 0;
}

/* setuid is made in all threads by a signal of the library's own. */
static int set_ids(unsigned n)
{
    pthread_t t[2];

    for (intptr_t i = 0; i < 2; i++)
        t[i] = start(mixes, (void *)i);
    for (unsigned i = 0; i < n / 10 + 1; i++) {
        pause_a_while();
        CHECK(setregid(getgid(), getegid()) == 0);
    }
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}

/* All threads are there when one ends the process. */
static int ended_together(unsigned n)
{
    for (unsigned i = 0; i < n / 40 + 1; i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            for (intptr_t k = 0; k < THREADS; k++)
                start(mixes, (void *)k);
            pause_a_while();
            _exit(11);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 11);
    }
    return 0;
}

static void *forks(void *p)
{
    uint64_t expected = compute(50);
    unsigned good = 0, times = *(unsigned *)p;

    for (unsigned i = 0; i < times; i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0)
            _exit(compute(50) == expected ? 12 : 13);
        good += waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 12;
    }
    return (void *)(uintptr_t)(good == times);
}

static int fork_in_threads(unsigned n)
{
    unsigned each = n / 100 + 1;
    pthread_t t[3], shooter;
    void *good;

    on(SIGUSR1, ignore, SA_RESTART);
    shooter = start(shoots, NULL);
    for (int i = 0; i < 3; i++)
        t[i] = start(forks, &each);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &good);
        CHECK(good);
    }
    stop = true;
    pthread_join(shooter, NULL);
    return 0;
}

const struct stress_test direct_tests[] = {
    {"to_computing", "each of five computing threads gets its own signals", to_computing},
    {"to_waiting", "the same, waiting", to_waiting},
    {"to_mixed", "the same, some of each", to_mixed},
    {"only_willing", "a signal to the process goes to the thread that does not block it", only_willing},
    {"fetched_by_several", "three threads in sigwait: each signal once", fetched_by_several},
    {"inherited", "a new thread's mask and pending signals", inherited},
    {"coming_and_going", "threads come and go under signals", coming_and_going},
    {"cancel", "pthread_cancel under signals", cancel},
    {"set_ids", "setregid in all threads", set_ids},
    {"ended_together", "exit while others run", ended_together},
    {"fork_in_threads", "fork from three threads under signals", fork_in_threads},
    {NULL, NULL, NULL},
};
