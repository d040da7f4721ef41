/* storm.c - processes that begin, share memory, execute and end while others compute, wait and get signals. */
#include "stress.h"

#include <poll.h>
#include <sys/time.h>

#define STACK 65536u

static atomic_bool ends;

/* 1 if ever something else came out. */
static void *computes(void *p)
{
    uint64_t expected = compute(200);

    (void)p;
    while (!ends)
        if (compute(200) != expected)
            return (void *)1;
    return NULL;
}

static bool join_all(const pthread_t *t, unsigned n)
{
    bool good = true;
    void *result;

    ends = true;
    for (unsigned i = 0; i < n; i++) {
        pthread_join(t[i], &result);
        good = good && !result;
    }
    return good;
}

/* ---- waits beside processes that are made ---- */

/* Nobody sends a signal, so nothing ends with EINTR. */
static void *waits(void *p)
{
    const struct timespec once = {0, 300000};

    while (!ends) {
        *(unsigned *)p += poll(NULL, 0, 1) != 0 || nanosleep(&once, NULL) != 0;
        pause_a_while();
    }
    return (void *)(uintptr_t)*(unsigned *)p;
}

static int waits_beside_spawns(unsigned n)
{
    unsigned interrupted[2] = {0};
    pthread_t t[4] = {start(computes, NULL), start(computes, NULL), start(waits, &interrupted[0]), start(waits, &interrupted[1])};
    unsigned good = 0, each = fewer(n) / 4 + 1;

    for (unsigned i = 0; i < each; i++) {
        pause_a_while();
        good += spawns_well((int)draw(100));
    }
    CHECK(join_all(t, LENGTH(t)));
    CHECK(good == each);
    return 0;
}

/* ---- alarms of a parent, and its children ---- */

static pid_t parent;
static atomic_uint caught, strange;

static void note_alarm(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    caught++;
    strange += getpid() != parent;
}

static void set_alarm(long us)
{
    const struct itimerval value = {{0, us}, {0, us}};

    setitimer(ITIMER_REAL, &value, NULL);
}

/* A child has no timer of its own, and what its parent is sent is not for it. */
static int alarms_while_forking(unsigned n)
{
    parent = getpid();
    on(SIGALRM, note_alarm, SA_RESTART);
    for (unsigned i = 0; i < fewer(n); i++) {
        int status;
        pid_t pid;

        set_alarm(500 + draw(1000));
        pause_a_while();
        pid = fork();
        if (pid == 0) {
            compute(300);
            _exit(strange != 0);
        }
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    while (!caught)
        compute(10);
    set_alarm(0);
    return 0;
}

/* ---- signals about execve ---- */

/* Signals that are ignored or blocked, and stay so in the program that is executed; another thread may compute meanwhile. */
static int signals_while_executing(unsigned n)
{
    for (unsigned i = 0; i < fewer(n) / 2 + 1; i++) {
        bool blocks = draw(2), threads = draw(2);
        int status, p[2];
        unsigned times = draw(20);
        pid_t pid;
        char byte;

        CHECK(pipe(p) == 0);
        pid = fork();
        if (pid == 0) {
            if (blocks)
                block(SIGUSR1);
            else
                signal(SIGUSR1, SIG_IGN);
            block(SIGALRM);
            if (threads)
                start(computes, NULL);
            if (write(p[1], "x", 1) != 1)
                _exit(1);
            pause_a_while();
            execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
            _exit(2);
        }
        CHECK(read(p[0], &byte, 1) == 1);
        for (unsigned k = 0; k < times; k++) {
            kill(pid, draw(2) ? SIGUSR1 : SIGALRM);
            pause_a_while();
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 6);
        close(p[0]), close(p[1]);
    }
    return 0;
}

/* ---- processes with our memory, while others compute ---- */

struct sharer { char stack[STACK]; atomic_uint rounds; unsigned wrong; bool executes; };

static int shares(void *p)
{
    struct sharer *s = p;
    uint64_t expected = compute(200);

    for (unsigned i = 0; i < 30; i++) {
        s->wrong += compute(200) != expected;
        s->rounds++;
        pause_a_while();
    }
    if (s->executes)
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
    _exit(7);
}

static int sharers_beside_threads(unsigned n)
{
    static struct sharer sharers[3];
    pthread_t t[2] = {start(computes, NULL), start(computes, NULL)};

    for (unsigned i = 0; i < fewer(n) / 4 + 1; i++) {
        pid_t pids[LENGTH(sharers)];
        bool kills = draw(4) == 0;
        int status;

        for (unsigned k = 0; k < LENGTH(sharers); k++) {
            struct sharer *s = &sharers[k];

            s->rounds = s->wrong = 0;
            s->executes = draw(2);
            pids[k] = clone(shares, s->stack + STACK, CLONE_VM | SIGCHLD, s);
            CHECK(pids[k] > 0);
        }
        pause_a_while();
        if (kills)
            kill(pids[0], SIGKILL);
        CHECK(spawns_well(3));
        for (unsigned k = 0; k < LENGTH(sharers); k++) {
            CHECK(waitpid(pids[k], &status, 0) == pids[k] && sharers[k].wrong == 0);
            if (!(kills && k == 0 && WIFSIGNALED(status)))
                CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7 && sharers[k].rounds == 30);
        }
    }
    CHECK(join_all(t, LENGTH(t)));
    return 0;
}

const struct stress_test storm_tests[] = {
    {"waits_beside_spawns", "no wait is interrupted beside threads that compute, and every spawned program ends as it says", waits_beside_spawns},
    {"alarms_while_forking", "a child does not see its parent's alarms", alarms_while_forking},
    {"signals_while_executing", "signals about execve: the program executed ends as it says", signals_while_executing},
    {"sharers_beside_threads", "processes that share memory compute, execute and are killed beside threads and spawns", sharers_beside_threads},
    {NULL, NULL, NULL},
};
