/* timer.c - interval timers, POSIX timers, alarm: they come, with the right value, and disturb nothing. */
#include "stress.h"

#include <sys/time.h>
#include <sys/timerfd.h>

static atomic_uint ticks, overruns, misdirected;
static atomic_int value;
static pthread_t expected_thread;

static void tick(int sig, siginfo_t *info, void *context)
{
    (void)context;
    ticks++;
    value = info->si_value.sival_int;
    if (info->si_code == SI_TIMER)
        overruns += (unsigned)info->si_overrun;
    misdirected += sig == SIGRTMIN + 1 && !pthread_equal(pthread_self(), expected_thread);
}

static int interval(unsigned n, int which, int sig)
{
    struct itimerval t = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    uint64_t expected = compute(500);

    on(sig, tick, 0);
    n = n > 2000 ? 2000 : n; /* the kernel's clock has 250 ticks a second where it counts processor time */
    if (which != ITIMER_REAL)
        n = n / 10 + 1;
    CHECK(setitimer(which, &t, NULL) == 0);
    while (ticks < n)
        CHECK(compute(500) == expected);
    setitimer(which, &off, NULL);
    return 0;
}

static int real(unsigned n) { return interval(n, ITIMER_REAL, SIGALRM); }
static int virtual(unsigned n) { return interval(n, ITIMER_VIRTUAL, SIGVTALRM); }
static int profiling(unsigned n) { return interval(n, ITIMER_PROF, SIGPROF); }

static int one_shot(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct itimerval t = {{0, 0}, {0, 1 + (long)draw(200)}};
        sigset_t old;

        on(SIGALRM, tick, 0);
        old = block(SIGALRM);
        sigdelset(&old, SIGALRM);
        CHECK(setitimer(ITIMER_REAL, &t, NULL) == 0);
        pause_a_while();
        CHECK(sigsuspend(&old) == -1 && ticks == i + 1);
        sigprocmask(SIG_SETMASK, &old, NULL);
    }
    return 0;
}

static int with_value(unsigned n)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
    sigset_t old;

    on(SIGRTMAX, tick, 0);
    old = block(SIGRTMAX);
    sigdelset(&old, SIGRTMAX);
    for (unsigned i = 0; i < n; i++) {
        struct itimerspec t = {{0, 0}, {0, 1 + (long)draw(100000)}};
        timer_t timer;

        e.sigev_value.sival_int = (int)i + 5;
        CHECK(timer_create(CLOCK_MONOTONIC, &e, &timer) == 0 && timer_settime(timer, 0, &t, NULL) == 0);
        CHECK(sigsuspend(&old) == -1 && ticks == i + 1 && value == (int)i + 5);
        timer_delete(timer);
    }
    return 0;
}

/* Expirations are signals and overruns together. */
static int overrun(unsigned n)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec t = {{0, 50000}, {0, 50000}}, off = {{0, 0}, {0, 0}};
    struct timespec begin, end;
    int64_t passed;
    timer_t timer;

    n = n > 3000 ? 3000 : n;
    on(SIGRTMIN, tick, 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &e, &timer) == 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    timer_settime(timer, 0, &t, NULL);
    while (ticks < n)
        compute(100);
    timer_settime(timer, 0, &off, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    passed = (end.tv_sec - begin.tv_sec) * 1000000000ll + end.tv_nsec - begin.tv_nsec;
    CHECK((int64_t)(ticks + overruns) * 50000 <= passed);
    return 0;
}

static void *with_timer(void *p)
{
    struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec t = {{0, 100000}, {0, 100000}};
    timer_t timer;

    e._sigev_un._tid = gettid();
    expected_thread = pthread_self();
    if (timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &t, NULL))
        abort();
    while (ticks < *(unsigned *)p)
        compute(100);
    timer_delete(timer);
    return NULL;
}

static int to_a_thread(unsigned n)
{
    pthread_t t;

    on(SIGRTMIN + 1, tick, 0);
    t = start(with_timer, &n);
    while (ticks < n)
        compute(50);
    pthread_join(t, NULL);
    CHECK(misdirected == 0);
    return 0;
}

static int descriptor(unsigned n)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t times;

    for (unsigned i = 0; i < n; i++) {
        struct itimerspec t = {{0, 0}, {0, 1 + (long)draw(50000)}};

        timerfd_settime(fd, 0, &t, NULL);
        pause_a_while();
        CHECK(read(fd, &times, 8) == 8 && times == 1);
    }
    close(fd);
    return 0;
}

const struct stress_test timer_tests[] = {
    {"interval_real", "ITIMER_REAL while computing", real},
    {"interval_virtual", "ITIMER_VIRTUAL while computing", virtual},
    {"interval_profiling", "ITIMER_PROF while computing", profiling},
    {"one_shot", "a timer that may have ended before the wait begins", one_shot},
    {"timer_value", "timer_create: one signal, the right value", with_value},
    {"timer_overrun", "signals and overruns are not more than expirations", overrun},
    {"timer_thread", "SIGEV_THREAD_ID: no other thread gets it", to_a_thread},
    {"timer_descriptor", "timerfd", descriptor},
    {NULL, NULL, NULL},
};
