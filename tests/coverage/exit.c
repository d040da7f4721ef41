/* tests/coverage/exit.c - _exit and raise for hosted programs built with --coverage: gcov writes down what was counted at exit, and
 * several of quern's processes end by _exit, or by a signal that they caught and send to themselves again.  And fork: libgcov calls
 * pthread_mutex_init in the child, by a weak reference, for which a static program gets nothing from the C library.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void), __gcov_reset(void);

extern const void *const qn_for_gcov_fork;
const void *const qn_for_gcov_fork = (const void *)pthread_mutex_init;

/* A handler that ends the process while libgcov writes would wait for itself. */
static void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

__attribute__((constructor)) static void block_at_exit(void) { atexit(block_signals); }

void _exit(int status)
{
    block_signals();
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

int raise(int sig)
{
    struct sigaction now;
    sigset_t before;

    sigprocmask(SIG_SETMASK, NULL, &before);
    if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL && sig != SIGCHLD) {
        block_signals();
        __gcov_dump();
        __gcov_reset();
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}
