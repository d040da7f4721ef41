/* main.c - runs the tests, each in a process of its own, and prints TAP.
 *
 *   stress [-i ITERATIONS] [-s SEED] [-t SECONDS] [NAME...]      -l: names only
 */
#include "stress.h"

#include <stdarg.h>

static const struct stress_test *const tables[] = {deliver_tests, wait_tests, stack_tests, context_tests, fault_tests,
                                                   timer_tests, process_tests, direct_tests, sync_tests, storm_tests};
static uint64_t seed = 1;
static atomic_uint threads;

unsigned draw(unsigned below)
{
    static _Thread_local uint64_t state;

    if (!state)
        state = seed * 0x9e3779b97f4a7c15u + threads++ * 0xd1342543de82ef95u + 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

void pause_a_while(void)
{
    unsigned kind = draw(8);

    if (kind == 0)
        sched_yield();
    else if (kind < 6)
        for (volatile unsigned i = draw(kind < 4 ? 50 : 2000); i; i--)
            ;
}

uint64_t compute(unsigned rounds)
{
    uint64_t x = 88172645463325252u, sum = 0;

    while (rounds--) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        sum += x % 1000003 * (x >> 40) + (uint64_t)((double)(x >> 12) / 3.0);
    }
    return sum;
}

int stress_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "# %s:%d: %s (errno %d)\n", file, line, what, errno);
    return 1;
}

void on_masked(int sig, void (*handler)(int, siginfo_t *, void *), int flags, const sigset_t *mask)
{
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags, .sa_mask = *mask};

    if (sigaction(sig, &a, NULL))
        abort();
}

void on(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
    sigset_t none;

    sigemptyset(&none);
    on_masked(sig, handler, flags, &none);
}

sigset_t set_of(int sig, ...)
{
    sigset_t set;
    va_list more;

    sigemptyset(&set);
    va_start(more, sig);
    for (; sig; sig = va_arg(more, int))
        sigaddset(&set, sig);
    va_end(more);
    return set;
}

sigset_t block(int sig)
{
    sigset_t one = set_of(sig, 0), before;

    pthread_sigmask(SIG_BLOCK, &one, &before);
    return before;
}

pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t t;

    if (pthread_create(&t, NULL, run, argument))
        abort();
    return t;
}

/* ---- running ---- */

static bool wanted(const char *name, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

/* What a shell runs in the background begins with these ignored. */
static void take_signals_back(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}

static bool passes(const struct stress_test *t, unsigned iterations, unsigned seconds)
{
    sigset_t child = set_of(SIGCHLD, 0);
    struct timespec limit = {(time_t)seconds, 0};
    int status = 0;
    pid_t pid;

    sigprocmask(SIG_BLOCK, &child, NULL);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_UNBLOCK, &child, NULL);
        _exit(t->run(iterations));
    }
    if (sigtimedwait(&child, NULL, &limit) < 0) {
        fprintf(stderr, "# %s: not done after %u seconds\n", t->name, seconds);
        kill(-pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        fprintf(stderr, "# %s: died of signal %d\n", t->name, WTERMSIG(status));
    return status == 0;
}

int main(int argc, char **argv)
{
    unsigned iterations = 100, seconds = 600, n = 0, failed = 0;
    bool list = false;
    int option;

    take_signals_back();
    while ((option = getopt(argc, argv, "i:s:t:l")) != -1)
        switch (option) {
        case 'i': iterations = (unsigned)atoi(optarg); break;
        case 's': seed = (uint64_t)atoll(optarg); break;
        case 't': seconds = (unsigned)atoi(optarg); break;
        case 'l': list = true; break;
        default: return 2;
        }
    for (size_t k = 0; k < LENGTH(tables); k++)
        for (const struct stress_test *t = tables[k]; t->name; t++) {
            if (!wanted(t->name, argv + optind))
                continue;
            if (list) {
                puts(t->name);
                continue;
            }
            bool good = passes(t, iterations, seconds);

            failed += !good;
            printf("%s %u - %s: %s\n", good ? "ok" : "not ok", ++n, t->name, t->text);
        }
    if (!list)
        printf("1..%u\n", n);
    return failed != 0;
}
