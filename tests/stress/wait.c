/* wait.c - calls that wait, and signals that end them: masks, EINTR, restarts, signals that are fetched. */
#include "stress.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

static atomic_uint caught, wrong_mask;
static pthread_t victim;
static unsigned rounds;
static int pipes[2];

/* While it waits SIGUSR2 is blocked and SIGUSR1 is not; elsewhere it is the other way round. */
static void look_at_mask(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *c = context;
    sigset_t now;

    (void)info;
    sigprocmask(SIG_BLOCK, NULL, &now);
    wrong_mask += !sigismember(&now, sig) || !sigismember(&now, SIGUSR2) || !sigismember(&c->uc_sigmask, SIGUSR1) ||
                  sigismember(&c->uc_sigmask, SIGUSR2);
    caught++;
}

static void note(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    caught++;
}

static void *send_usr1(void *p)
{
    (void)p;
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        pthread_kill(victim, SIGUSR1);
        while (caught != i + 1)
            sched_yield();
    }
    return NULL;
}

static int waits(unsigned n, int (*call)(const sigset_t *mask))
{
    sigset_t mask = set_of(SIGUSR2, 0), now;
    pthread_t t;

    victim = pthread_self();
    rounds = n;
    on(SIGUSR1, look_at_mask, 0);
    block(SIGUSR1);
    t = start(send_usr1, NULL);
    for (unsigned i = 0; i < n; i++) {
        pause_a_while();
        CHECK(call(&mask) == -1 && errno == EINTR);
        CHECK(caught == i + 1 && wrong_mask == 0);
        sigprocmask(SIG_BLOCK, NULL, &now);
        CHECK(sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2));
    }
    pthread_join(t, NULL);
    return 0;
}

static int by_ppoll(const sigset_t *mask) { return ppoll(NULL, 0, NULL, mask); }
static int by_pselect(const sigset_t *mask) { return pselect(0, NULL, NULL, NULL, NULL, mask); }

static int by_epoll(const sigset_t *mask)
{
    static int fd = -1;
    struct epoll_event e;

    if (fd < 0)
        fd = epoll_create1(0);
    return epoll_pwait(fd, &e, 1, -1, mask);
}

static int suspended(unsigned n) { return waits(n, sigsuspend); }
static int polled(unsigned n) { return waits(n, by_ppoll); }
static int selected(unsigned n) { return waits(n, by_pselect); }
static int epolled(unsigned n) { return waits(n, by_epoll); }

/* Both are blocked but while it waits: both come. */
static int two_at_once(unsigned n)
{
    sigset_t none;

    sigemptyset(&none);
    on(SIGUSR1, note, 0);
    on(SIGUSR2, note, 0);
    block(SIGUSR1);
    block(SIGUSR2);
    for (unsigned i = 0; i < n; i++) {
        caught = 0;
        raise(draw(2) ? SIGUSR1 : SIGUSR2);
        raise(SIGUSR1);
        raise(SIGUSR2);
        CHECK(sigsuspend(&none) == -1 && caught == 2);
    }
    return 0;
}

/* ---- restarts ---- */

static void *interrupt_reader(void *p)
{
    unsigned restart = p != NULL;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned signals = draw(3);
        char byte = (char)i;

        for (unsigned k = 0; k < signals; k++) {
            pause_a_while();
            pthread_kill(victim, SIGUSR1);
        }
        pause_a_while();
        if (write(pipes[1], &byte, 1) != 1)
            abort();
        (void)restart;
    }
    return NULL;
}

static int reads(unsigned n, int flags)
{
    unsigned interrupted = 0;
    pthread_t t;
    char byte;

    CHECK(pipe(pipes) == 0);
    victim = pthread_self();
    rounds = n;
    on(SIGUSR1, note, flags);
    t = start(interrupt_reader, flags ? &rounds : NULL);
    for (unsigned i = 0; i < n;) {
        ssize_t r = read(pipes[0], &byte, 1);

        if (r == -1 && errno == EINTR) {
            interrupted++;
            continue;
        }
        CHECK(r == 1 && byte == (char)i);
        i++;
    }
    pthread_join(t, NULL);
    CHECK(interrupted <= caught && (!flags || interrupted == 0));
    return 0;
}

static int read_restarts(unsigned n) { return reads(n, SA_RESTART); }
static int read_interrupted(unsigned n) { return reads(n, 0); }

static sem_t semaphore;

static void *post(void *p)
{
    (void)p;
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        pthread_kill(victim, SIGUSR1);
        sem_post(&semaphore);
    }
    return NULL;
}

static int semaphore_restarts(unsigned n)
{
    unsigned got = 0;
    pthread_t t;

    sem_init(&semaphore, 0, 0);
    victim = pthread_self();
    rounds = n;
    on(SIGUSR1, note, SA_RESTART);
    t = start(post, NULL);
    while (got < n)
        got += sem_wait(&semaphore) == 0;
    pthread_join(t, NULL);
    CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    return 0;
}

static void *interrupt_sleep(void *p)
{
    atomic_bool *stop = p;

    while (!*stop) {
        pause_a_while();
        pthread_kill(victim, SIGUSR1);
        usleep(draw(200));
    }
    return NULL;
}

static int64_t nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* However often it is interrupted, a sleep for the rest lasts as long as it was to. */
static int sleep_goes_on(unsigned n)
{
    static atomic_bool stop;
    pthread_t t;

    victim = pthread_self();
    on(SIGUSR1, note, 0);
    t = start(interrupt_sleep, &stop);
    for (unsigned i = 0; i < n; i++) {
        struct timespec left = {0, 100000 + (long)draw(200000)};
        int64_t wanted = left.tv_nsec, since = nanoseconds();

        while (nanosleep(&left, &left) == -1)
            CHECK(errno == EINTR);
        CHECK(nanoseconds() - since >= wanted);
    }
    stop = true;
    pthread_join(t, NULL);
    return 0;
}

/* ---- fetched ---- */

static void *queue_values(void *p)
{
    union sigval v = {.sival_int = 0};
    int process = p != NULL;

    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        v.sival_int = (int)i;
        while (process ? sigqueue(getpid(), SIGRTMIN + 3, v) : pthread_sigqueue(victim, SIGRTMIN + 3, v))
            sched_yield();
    }
    return NULL;
}

static int fetched(unsigned n, void *how, int (*fetch)(int *value))
{
    int value = -1;
    pthread_t t;

    victim = pthread_self();
    rounds = n;
    block(SIGRTMIN + 3);
    t = start(queue_values, how);
    for (unsigned i = 0; i < n; i++) {
        pause_a_while();
        CHECK(fetch(&value) == SIGRTMIN + 3 && value == (int)i);
    }
    pthread_join(t, NULL);
    return 0;
}

static int by_wait(int *value)
{
    sigset_t set = set_of(SIGRTMIN + 3, 0);
    siginfo_t info;
    int sig = sigwaitinfo(&set, &info);

    *value = info.si_value.sival_int;
    return info.si_code == SI_QUEUE && info.si_pid == getpid() ? sig : -1;
}

static int by_timed_wait(int *value)
{
    sigset_t set = set_of(SIGRTMIN + 3, SIGUSR2, 0);
    struct timespec soon = {0, 50000};
    siginfo_t info;
    int sig;

    while ((sig = sigtimedwait(&set, &info, &soon)) == -1)
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    *value = info.si_value.sival_int;
    return sig;
}

static int by_descriptor(int *value)
{
    static int fd = -1;
    struct signalfd_siginfo info;
    sigset_t set = set_of(SIGRTMIN + 3, 0);

    if (fd < 0)
        fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (read(fd, &info, sizeof info) != sizeof info)
        return -1;
    *value = info.ssi_int;
    return (int)info.ssi_signo;
}

static int wait_info(unsigned n) { return fetched(n, NULL, by_wait); }
static int wait_info_process(unsigned n) { return fetched(n, "process", by_wait); }
static int timed_wait(unsigned n) { return fetched(n, NULL, by_timed_wait); }
static int descriptor(unsigned n) { return fetched(n, NULL, by_descriptor); }

const struct stress_test wait_tests[] = {
    {"suspended", "sigsuspend: the mask in the handler, in its context, afterwards", suspended},
    {"polled", "ppoll: the same", polled},
    {"selected", "pselect: the same", selected},
    {"epolled", "epoll_pwait: the same", epolled},
    {"two_at_once", "two signals end one sigsuspend", two_at_once},
    {"read_restarts", "SA_RESTART: a read is never interrupted and loses nothing", read_restarts},
    {"read_interrupted", "without, at most once for each signal", read_interrupted},
    {"semaphore_restarts", "sem_wait under signals", semaphore_restarts},
    {"sleep_goes_on", "nanosleep tells what is left", sleep_goes_on},
    {"wait_info", "sigwaitinfo: every value, in order", wait_info},
    {"wait_info_process", "the same, sent to the process", wait_info_process},
    {"timed_wait", "sigtimedwait with short timeouts", timed_wait},
    {"descriptor", "signalfd", descriptor},
    {NULL, NULL, NULL},
};
