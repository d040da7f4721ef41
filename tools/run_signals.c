/* tools/run_signals.c - the collector stands between the user and the guest without being noticed.
 *
 * All signals are blocked and read from a signalfd.
 *   - From the terminal (SI_KERNEL): the guest, in the same process group, got its own; nothing to do.
 *   - Sent to the collector by a process: passed on to the guest.  (A signal sent to the whole
 *     group reaches the guest twice, since the kernel does not tell the two apart; while the first
 *     is pending the second merges with it.)
 *   - The guest stopped: stop the same way, so that the shell sees its job stop; go on with it.
 *   - The guest died of a signal: die of the same one, without a core file of our own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

bool qn_run_take_signals(struct qn_run *r)
{
    struct sigaction plain = { .sa_handler = SIG_DFL };
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &r->old_mask);
    sigaction(SIGCHLD, &plain, &r->old_chld); /* where it is ignored, children leave no status */
    r->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    return r->signals >= 0;
}

void qn_run_restore_signals(const struct qn_run *r)
{
    sigaction(SIGCHLD, &r->old_chld, NULL);
    sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
}

/* State letter of /proc/PID/stat, '?' if it cannot be read. */
static char process_state(pid_t pid)
{
    char path[32], text[512];
    const char *p = NULL;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (f) {
        if (fgets(text, sizeof text, f))
            p = strrchr(text, ')');
        fclose(f);
    }
    return p && p[1] == ' ' ? p[2] : '?';
}

static void forward(struct qn_run *r, const struct signalfd_siginfo *s)
{
    int sig = (int)s->ssi_signo;

    /* What a failed write of our own raises (SIGPIPE, SIGXFSZ) looks like sent, by ourselves. */
    if (sig == SIGCHLD || r->ended || r->guest <= 0 || s->ssi_pid == (uint32_t)getpid())
        return;
    if (s->ssi_code == SI_QUEUE)
        sigqueue(r->guest, sig, (union sigval){ .sival_ptr = (void *)(uintptr_t)s->ssi_ptr });
    else if (s->ssi_code == SI_USER || s->ssi_code == SI_TKILL || sig == SIGALRM)
        kill(r->guest, sig);
}

void qn_run_read_signals(struct qn_run *r)
{
    struct signalfd_siginfo s;

    while (read(r->signals, &s, sizeof s) == sizeof s)
        if (r->is_main)
            forward(r, &s);
}

/* Raises a signal on this process with its default effect, at once. */
static void raise_plain(int sig)
{
    struct sigaction plain = { .sa_handler = SIG_DFL };
    sigset_t one, old;

    sigemptyset(&one);
    sigaddset(&one, sig);
    sigaction(sig, &plain, NULL);
    kill(getpid(), sig);
    sigprocmask(SIG_UNBLOCK, &one, &old);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void qn_run_mirror_stop(struct qn_run *r, int sig)
{
    raise_plain(sig);
    /* We go on: somebody sent us SIGCONT.  Most often to the group, and the guest has it too. */
    if (process_state(r->guest) == 'T')
        kill(r->guest, SIGCONT);
}

void qn_run_mirror_end(int status)
{
    struct rlimit none = { 0, 0 };

    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &none);
    raise_plain(WTERMSIG(status));
    _exit(128 + WTERMSIG(status)); /* not reached, unless the signal is one that does not end us */
}
