/* lib/exp/jobs.c - see jobs.h.
 *
 * Signals are taken one at a time by sigtimedwait, so nothing happens in handlers: SIGCHLD = a command ended, SIGINT and
 * the like = stop all.
 */
#define _GNU_SOURCE
#include "exp/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

#define GRACE 2.0 /* seconds between SIGTERM and SIGKILL */
#define ERRORS_MODE 0600
#define OLD_DESCRIPTORS 4096 /* that may be open where close_range does not know CLOEXEC */

double qn_exp_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void qn_exp_init_jobs(struct qn_exp_jobs *j, int parallel, double limit, void *data)
{
    memset(j, 0, sizeof *j);
    j->parallel = parallel;
    j->limit = limit;
    j->data = data;
}

void qn_exp_free_jobs(struct qn_exp_jobs *j) { qn_text_free_memory(&j->memory); }

void qn_exp_add_job(struct qn_exp_jobs *j, const struct qn_exp_job *job)
{
    j->at = qn_text_grow(&j->memory, j->at, (size_t)j->count, sizeof *j->at);
    j->at[j->count++] = *job;
}

/* ---- one command ---- */

static bool redirect(const char *path, int flags, int to)
{
    int fd = open(path, flags, ERRORS_MODE);

    return fd >= 0 && dup2(fd, to) == to && (fd == to || close(fd) == 0);
}

/* A shell, GNU parallel and Slurm leave their children other signals, descriptors, limits and masks: a program must not see who started it. */
static void forget_starter(void)
{
    static const struct { int what; rlim_t soft; } limits[] = {
        { RLIMIT_STACK, 8 << 20 }, { RLIMIT_NOFILE, 1024 }, { RLIMIT_CORE, 0 }, /* what Linux and its shells begin with */
    };
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(S_IWGRP | S_IWOTH);
    for (size_t i = 0; i < QN_ARRAY_LEN(limits); i++) {
        struct rlimit limit;

        if (getrlimit(limits[i].what, &limit))
            continue;
        limit.rlim_cur = limits[i].soft < limit.rlim_max ? limits[i].soft : limit.rlim_max;
        setrlimit(limits[i].what, &limit);
    }
    if (close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC)) /* before Linux 5.11 */
        for (int fd = STDERR_FILENO + 1; fd < OLD_DESCRIPTORS; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* In the child.  If the parent died between fork and prctl, getppid() is another process. */
static void become(const struct qn_exp_job *job, pid_t parent, int report)
{
    setsid(); /* a process group, and no terminal */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    forget_starter();
    if (getppid() != parent)
        _exit(0);
    if (redirect(job->input ? job->input : "/dev/null", O_RDONLY, STDIN_FILENO)
        && redirect("/dev/null", O_WRONLY, STDOUT_FILENO)
        && redirect(job->errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO))
        execve(job->argv[0], job->argv, job->environment);
    if (write(report, &errno, sizeof errno) < 0)
        _exit(127);
    _exit(127);
}

static void start(struct qn_exp_job *job)
{
    pid_t parent = getpid();
    int report[2];

    job->started = qn_exp_now();
    if (pipe2(report, O_CLOEXEC)) {
        job->start_errno = errno;
        return;
    }
    job->pid = fork();
    if (job->pid == 0)
        become(job, parent, report[1]);
    if (job->pid < 0)
        job->start_errno = errno;
    close(report[1]); /* its end says that the job leads its group */
    if (read(report[0], &job->start_errno, sizeof job->start_errno) != sizeof job->start_errno && job->pid >= 0)
        job->start_errno = 0;
    close(report[0]);
}

/* ---- all of them ---- */

static bool is_running(const struct qn_exp_job *job) { return job->pid > 0; }

static int count_running(const struct qn_exp_jobs *j)
{
    int n = 0;

    for (int i = 0; i < j->next; i++)
        n += is_running(&j->at[i]);
    return n;
}

static void end(struct qn_exp_jobs *j, struct qn_exp_job *job)
{
    struct qn_exp_job copy; /* `ended` may add jobs, and so move them */

    kill(-job->pid, SIGKILL); /* processes that it left behind; it is not reaped yet, so the group's number is not reused */
    waitpid(job->pid, &job->status, 0);
    copy = *job;
    job->pid = 0;
    if (!j->signal)
        j->ended(j->data, &copy);
}

static void start_more(struct qn_exp_jobs *j)
{
    while (!j->signal && j->next < j->count && count_running(j) < j->parallel) {
        int i = j->next++;
        struct qn_exp_job copy = j->at[i]; /* `prepare` and `ended` may add jobs, and so move them */

        if (j->prepare && !j->prepare(j->data, &copy))
            continue;
        start(&copy);
        j->at[i] = copy;
        if (copy.pid < 0) {
            j->at[i].pid = 0;
            j->ended(j->data, &copy);
        }
    }
}

static void reap(struct qn_exp_jobs *j)
{
    siginfo_t info = { .si_pid = 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
        int i = 0;

        while (i < j->next && j->at[i].pid != info.si_pid)
            i++;
        if (i < j->next)
            end(j, &j->at[i]);
        else
            waitpid(info.si_pid, NULL, 0); /* not one of the jobs: an inherited child */
        info.si_pid = 0;
    }
}

static void stop_late(struct qn_exp_jobs *j)
{
    double time = qn_exp_now();

    for (int i = 0; i < j->next && j->limit > 0; i++) {
        struct qn_exp_job *job = &j->at[i];

        if (!is_running(job) || time < job->started + j->limit)
            continue;
        kill(job->timed_out && time > job->started + j->limit + GRACE ? -job->pid : job->pid,
             job->timed_out && time > job->started + j->limit + GRACE ? SIGKILL : SIGTERM);
        job->timed_out = true;
    }
}

/* Sends a signal to all running commands: first SIGTERM, later SIGKILL. */
static void stop_all(struct qn_exp_jobs *j, int sig)
{
    for (int i = 0; i < j->next; i++)
        if (is_running(&j->at[i]))
            kill(-j->at[i].pid, sig);
}

static void wait_a_moment(struct qn_exp_jobs *j, const sigset_t *signals)
{
    struct timespec second = { 1, 0 };
    int sig = sigtimedwait(signals, NULL, &second);

    if (sig > 0 && sig != SIGCHLD) {
        stop_all(j, j->signal ? SIGKILL : SIGTERM);
        j->signal = sig;
    }
}

void qn_exp_run_jobs(struct qn_exp_jobs *j)
{
    sigset_t signals, mask;

    sigemptyset(&signals);
    for (const int *s = (const int[]){ SIGCHLD, SIGINT, SIGTERM, SIGHUP, 0 }; *s; s++)
        sigaddset(&signals, *s);
    sigprocmask(SIG_BLOCK, &signals, &mask);
    for (;;) {
        start_more(j);
        if (!count_running(j))
            break;
        if (j->tick)
            j->tick(j->data, count_running(j));
        wait_a_moment(j, &signals);
        stop_late(j);
        reap(j);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
}
