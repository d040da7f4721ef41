/* tests/coverage/exit.c - the ends of hosted programs built with --coverage.  gcov writes down what was counted at exit; several of
 * quern's processes end by _exit, or by a signal that they caught and send to themselves again.  libgcov does so at execve, too, but where it
 * may write no file it says so for each, and a test reads that.  And fork: libgcov calls pthread_mutex_init in the child, by a weak
 * reference, for which a static program gets nothing from the C library.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void), __gcov_reset(void);

extern const void *const qn_for_gcov_fork;
const void *const qn_for_gcov_fork = (const void *)pthread_mutex_init;

/* A handler that ends the process while libgcov writes would wait for itself.  Returns what was blocked before. */
static sigset_t block_signals(void)
{
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

static void end(void) { block_signals(); }
__attribute__((constructor)) static void block_at_exit(void) { atexit(end); }

/* May this process, shut in as it is, or another user's, write at all? */
static void dump(void)
{
    int fd = open(__FILE__, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    close(fd);
    __gcov_dump();
    __gcov_reset();
}

void _exit(int status)
{
    block_signals();
    dump();
    for (;;)
        syscall(SYS_exit_group, status);
}

int raise(int sig)
{
    struct sigaction now;

    if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL && sig != SIGCHLD) {
        sigset_t before = block_signals();

        dump();
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

int __gcov_execve(const char *path, char *const *argv, char *const *envp);
int __gcov_execve(const char *path, char *const *argv, char *const *envp)
{
    dump();
    return execve(path, argv, envp);
}
