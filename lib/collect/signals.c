/* lib/collect/signals.c - passes signals, stops and the exit status between user and guest, as if there were no collector between them.
 *
 * All signals are blocked and read from a signalfd.
 *   - From the terminal (SI_KERNEL): the guest is in the same process group, and has got the signal, too; nothing is done.
 *   - Sent to the collector by a process: passed on to the guest.  (A signal sent to the whole group reaches the guest twice, because
 *     the kernel does not distinguish the two; if the first is still pending, they merge.)  Signals of the guest itself are not passed
 *     on: they were sent to the group.
 *   - Death of the collector's parent: the guest sees that process as its own parent (lib/run/kernel/signal.c), so it gets its
 *     parent-death signal.
 *   - After the guest's end, a signal that asks quern to end ends the reading of debug information, of sub-collectors, too.
 *   - The guest stopped: the collector stops in the same way, so that the shell sees its job stop.  When either is continued, both are.
 *   - The guest died of a signal: the collector dies of the same signal, without a core file of its own.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "collect/collect.h"

#define LOOK_MS 100 /* between two checks of whether the guest was continued */

/* The signals that ask a process to end, without those that quern was started to ignore (nohup). */
static sigset_t choose_ends(void)
{
    static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
    struct sigaction a;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < QN_ARRAY_LEN(ends); i++)
        if (!sigaction(ends[i], NULL, &a) && a.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    return set;
}

bool qn_collect_take_signals(struct qn_collect *r)
{
    struct sigaction plain = { .sa_handler = SIG_DFL };
    sigset_t all, ends = choose_ends();

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &r->old_mask);
    sigaction(SIGCHLD, &plain, &r->old_chld); /* if it is ignored, children leave no status */
    r->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    r->ends = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    r->hurry = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return r->signals >= 0 && r->ends >= 0 && r->hurry >= 0;
}

void qn_collect_restore_signals(const struct qn_collect *r)
{
    sigaction(SIGCHLD, &r->old_chld, NULL);
    sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
}

const char *qn_collect_read_stat(pid_t pid, char text[QN_COLLECT_STAT_MAX])
{
    char path[32];
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (f) {
        n = fread(text, 1, QN_COLLECT_STAT_MAX - 1, f);
        fclose(f);
    }
    text[n] = 0;
    return n && strrchr(text, ')') ? strrchr(text, ')') + 1 : "";
}

static bool is_stopped(pid_t pid)
{
    char text[QN_COLLECT_STAT_MAX];

    return !strncmp(qn_collect_read_stat(pid, text), " T", 2);
}

static void forward(struct qn_collect *r, const struct signalfd_siginfo *s)
{
    int sig = (int)s->ssi_signo;

    /* SIGPIPE and SIGXFSZ of our own failed writes have our own pid as sender. */
    if ((sig == SIGCHLD && s->ssi_code > 0) || r->ended || r->guest <= 0 || s->ssi_pid == (uint32_t)getpid() ||
        s->ssi_pid == (uint32_t)r->guest)
        return;
    if (sig == SIGUSR1 && r->options.dump_signal) {
        qn_collect_dump(r);
        return;
    }
    if (s->ssi_code == SI_QUEUE)
        sigqueue(r->guest, sig, (union sigval){ .sival_ptr = (void *)(uintptr_t)s->ssi_ptr });
    else if (s->ssi_code == SI_USER || s->ssi_code == SI_TKILL || sig == SIGALRM)
        kill(r->guest, sig);
}

/* Does the signal mean that our parent has died?  Then it is not passed on to the guest. */
static bool says_parent_died(struct qn_collect *r, const struct signalfd_siginfo *s)
{
    struct qn_config *c = &qn_cost_header(&r->store)->config;
    int32_t before = c->parent;

    if (getppid() == before)
        return false;
    c->parent = getppid();
    if (r->fresh.base)
        qn_cost_header(&r->fresh)->config.parent = c->parent;
    if (c->death_signal > 0 && c->death_signal < NSIG && !r->ended && r->guest > 0)
        kill(r->guest, c->death_signal);
    return s->ssi_signo == (uint32_t)QN_COLLECT_PARENT_DIED && s->ssi_pid == (uint32_t)before;
}

void qn_collect_read_signals(struct qn_collect *r)
{
    struct signalfd_siginfo s;

    while (read(r->signals, &s, sizeof s) == sizeof s)
        if (r->is_main && !says_parent_died(r, &s))
            forward(r, &s);
}

void qn_collect_forward_ends(struct qn_collect *r)
{
    struct signalfd_siginfo s;

    while (r->is_main && read(r->ends, &s, sizeof s) == sizeof s)
        forward(r, &s);
}

void qn_collect_end_process(pid_t pid)
{
    kill(pid, SIGTERM);
    kill(pid, SIGCONT); /* if somebody has stopped it */
}

bool qn_collect_is_hurried(const struct qn_collect *r) { return poll(&(struct pollfd){ r->hurry, POLLIN, 0 }, 1, 0) > 0; }

bool qn_collect_wait_for(struct qn_collect *r, int fd)
{
    struct pollfd p[] = { { fd, POLLIN, 0 }, { r->hurry, POLLIN, 0 }, { r->is_main ? r->ends : -1, POLLIN, 0 } };

    while (poll(p, QN_ARRAY_LEN(p), -1) < 0)
        ;
    if (p[0].revents || p[1].revents)
        return p[0].revents;
    qn_collect_forward_ends(r);
    if (r->ended || r->leaves) {
        eventfd_write(r->hurry, 1);
        if (r->reader.socket >= 0)
            qn_collect_end_process(-r->reader.pid); /* and all that it has forked */
    }
    return false;
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

/* Starts a process that wakes us when the guest alone is continued or killed, because a stopped process does not learn that. */
static pid_t start_waker(const struct qn_collect *r)
{
    pid_t stopped = getpid(), waker = fork();

    if (waker)
        return waker;
    while (is_stopped(r->guest))
        poll(NULL, 0, LOOK_MS);
    kill(stopped, SIGCONT);
    _exit(0);
}

void qn_collect_mirror_stop(struct qn_collect *r, int sig)
{
    pid_t waker = start_waker(r);

    raise_plain(sig);
    if (waker > 0) {
        kill(waker, SIGKILL);
        waitpid(waker, NULL, 0);
    }
    /* We were continued.  If SIGCONT was sent to the group, the guest was, too; if not, continue it. */
    if (is_stopped(r->guest))
        kill(r->guest, SIGCONT);
}

void qn_collect_mirror_end(int status)
{
    struct rlimit none = { 0, 0 };

    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &none);
    raise_plain(WTERMSIG(status));
    _exit(128 + WTERMSIG(status)); /* reached only if the signal did not end us */
}
