/* process.c - processes and signals between them: ends, stops, ping and pong, vfork, shared memory. */
#include "stress.h"

#include <spawn.h>

static atomic_uint caught;
static atomic_int last_status, last_pid;

static void on_child(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    caught++;
    last_status = info->si_status;
    last_pid = info->si_pid;
}

static void note(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info, (void)context;
    caught++;
}

static int child_ends(unsigned n)
{
    sigset_t old;

    on(SIGCHLD, on_child, 0);
    old = block(SIGCHLD);
    for (unsigned i = 0; i < fewer(n); i++) {
        int status, code = (int)draw(256);
        pid_t pid = fork();

        if (pid == 0) {
            pause_a_while();
            _exit(code);
        }
        pause_a_while();
        CHECK(sigsuspend(&old) == -1);
        CHECK(caught == i + 1 && last_status == code && last_pid == pid);
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == code && waitpid(-1, NULL, WNOHANG) == -1);
    }
    return 0;
}

static int killed_by_each(unsigned n)
{
    static const int deadly[] = {SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO, 34, 50, 64,
                                 SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT, SIGSYS, SIGXCPU};

    for (unsigned i = 0; i < fewer(n); i++) {
        int status, sig = deadly[draw(LENGTH(deadly))];
        bool by_itself = draw(2);
        pid_t pid = fork();

        if (pid == 0) {
            if (by_itself)
                raise(sig);
            for (;;)
                compute(100);
        }
        pause_a_while();
        if (!by_itself)
            kill(pid, sig);
        CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == sig);
    }
    return 0;
}

static int stop_and_go(unsigned n)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            compute(100);
    for (unsigned i = 0; i < fewer(n); i++) {
        pause_a_while();
        kill(pid, draw(2) ? SIGSTOP : SIGTSTP);
        CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
        kill(pid, SIGCONT);
        CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
    }
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL);
    return 0;
}

/* Each waits for the other's value. */
static bool play(pid_t partner, unsigned rounds, unsigned first)
{
    sigset_t set = set_of(SIGRTMIN + 2, 0);
    union sigval v;
    siginfo_t info;

    for (unsigned i = first; i < rounds; i++) {
        if (i % 2 == 0) {
            v.sival_int = (int)i;
            if (sigqueue(partner, SIGRTMIN + 2, v))
                return false;
            continue;
        }
        if (sigwaitinfo(&set, &info) != SIGRTMIN + 2 || info.si_pid != partner)
            return false;
        pause_a_while();
    }
    return true;
}

static int ping_pong(unsigned n)
{
    pid_t parent = getpid(), pid;
    int status;

    block(SIGRTMIN + 2);
    pid = fork();
    if (pid == 0)
        _exit(!play(parent, n | 1, 1));
    CHECK(play(pid, n & ~1u, 0));
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

static int group(unsigned n)
{
    for (unsigned i = 0; i < fewer(n) / 4 + 1; i++) {
        pid_t pids[4];
        int status, p[2];
        char byte;

        CHECK(pipe(p) == 0);
        for (int k = 0; k < 4; k++) {
            pids[k] = fork();
            if (pids[k] == 0) {
                setpgid(0, k ? pids[0] : 0);
                if (write(p[1], "x", 1) == 1)
                    for (;;)
                        pause();
            }
            setpgid(pids[k], pids[0]);
        }
        for (int k = 0; k < 4; k++)
            CHECK(read(p[0], &byte, 1) == 1);
        kill(-pids[0], SIGUSR1);
        for (int k = 0; k < 4; k++)
            CHECK(waitpid(pids[k], &status, 0) == pids[k] && WTERMSIG(status) == SIGUSR1);
        close(p[0]), close(p[1]);
    }
    return 0;
}

static int broken_pipe(unsigned n)
{
    on(SIGPIPE, note, 0);
    for (unsigned i = 0; i < n; i++) {
        int p[2];

        CHECK(pipe(p) == 0);
        close(p[0]);
        CHECK(write(p[1], "x", 1) == -1 && errno == EPIPE && caught == i + 1);
        close(p[1]);
    }
    return 0;
}

/* The child shares our memory and we are suspended; signals meanwhile are ours and come afterwards. */
static int vforked(unsigned n)
{
    static volatile unsigned written;

    on(SIGUSR1, note, 0);
    for (unsigned i = 0; i < fewer(n); i++) {
        int status;
        pid_t pid = vfork();

        if (pid == 0) {
            written = i + 1;
            kill(getppid(), SIGUSR1);
            _exit(9);
        }
        CHECK(written == i + 1 && caught == i + 1);
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 9);
    }
    return 0;
}

struct mailbox { atomic_uint turn; unsigned rounds; };
static struct mailbox box;

static int other_side(void *p)
{
    struct mailbox *b = p;

    for (unsigned i = 0; i < b->rounds; i++) {
        while (b->turn != 2 * i + 1)
            sched_yield();
        pause_a_while();
        b->turn = 2 * i + 2;
    }
    return 3;
}

/* A process with our memory, both running on. */
static int shares_memory(unsigned n)
{
    static char stack[65536];
    int status;
    pid_t pid;

    box.rounds = n;
    pid = clone(other_side, stack + sizeof stack, CLONE_VM | SIGCHLD, &box);
    for (unsigned i = 0; i < n; i++) {
        pause_a_while();
        box.turn = 2 * i + 1;
        while (box.turn != 2 * i + 2)
            sched_yield();
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    return 0;
}

static int runs_for_ever(void *p)
{
    atomic_uint *count = p;

    while (++*count)
        ;
    return 0;
}

/* Killed at any moment: what we do meanwhile goes on. */
static int killed_while_sharing(unsigned n)
{
    static char stack[65536];
    uint64_t expected = compute(300);

    for (unsigned i = 0; i < fewer(n); i++) {
        static atomic_uint count;
        int status;
        pid_t pid;

        count = 0;
        pid = clone(runs_for_ever, stack + sizeof stack, CLONE_VM | SIGCHLD, &count);
        while (!count)
            sched_yield();
        pause_a_while();
        kill(pid, draw(2) ? SIGKILL : SIGTERM);
        CHECK(compute(300) == expected);
        CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    }
    return 0;
}

bool spawns_well(int code)
{
    char command[] = "exit   ", *const argv[] = {"sh", "-c", command, NULL}, *const empty[] = {NULL};
    int status;
    pid_t pid;

    snprintf(command + 5, 3, "%d", code);
    return posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, empty) == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == code;
}

static void *spawns(void *p)
{
    unsigned good = 0;

    for (unsigned i = 0; i < *(unsigned *)p; i++) {
        pause_a_while();
        good += spawns_well(4);
    }
    return (void *)(uintptr_t)(good == *(unsigned *)p);
}

static int spawn_storm(unsigned n)
{
    unsigned each = n / 200 + 1;
    pthread_t t[3];
    void *good;

    for (int i = 0; i < 3; i++)
        t[i] = start(spawns, &each);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &good);
        CHECK(good);
    }
    return 0;
}

/* exec from a thread that is not the first: the others end, the process goes on as another program. */
static void *execs(void *p)
{
    (void)p;
    pause_a_while();
    execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
    _exit(1);
}

static void *spins(void *p)
{
    while (compute(100))
        ;
    return p;
}

static int exec_from_thread(unsigned n)
{
    for (unsigned i = 0; i < fewer(n) / 4 + 1; i++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            start(spins, NULL);
            start(execs, NULL);
            for (;;)
                pause();
        }
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 6);
    }
    return 0;
}

const struct stress_test process_tests[] = {
    {"child_ends", "SIGCHLD and the status of each child, once", child_ends},
    {"killed_by_each", "death by each signal, one's own or another's", killed_by_each},
    {"stop_and_go", "SIGSTOP, SIGTSTP and SIGCONT", stop_and_go},
    {"ping_pong", "values back and forth between two processes", ping_pong},
    {"group", "a signal to a process group", group},
    {"broken_pipe", "SIGPIPE comes with its EPIPE", broken_pipe},
    {"vforked", "vfork shares memory, suspends, and leaves signals alone", vforked},
    {"shares_memory", "CLONE_VM without CLONE_THREAD: turn by turn", shares_memory},
    {"killed_while_sharing", "the same, killed at any moment", killed_while_sharing},
    {"spawn_storm", "posix_spawn from three threads", spawn_storm},
    {"exec_from_thread", "exec from a second thread", exec_from_thread},
    {NULL, NULL, NULL},
};
