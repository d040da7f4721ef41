/* lib/exp/farm.c - see farm.h. */
#define _GNU_SOURCE
#include "exp/farm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text/error.h"

#define WORDS_MAX 16 /* words of the command besides options and parts */

const char *const qn_exp_on_names[] = { [QN_EXP_HERE] = "here", [QN_EXP_PARALLEL] = "parallel", [QN_EXP_SLURM] = "slurm", NULL };

void qn_exp_put_word(FILE *f, const char *word)
{
    fputs(" '", f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            putc(*word, f);
    putc('\'', f);
}

static size_t add_parallel(struct qn_text_memory *m, const struct qn_exp_farm *f, char **argv, size_t n)
{
    argv[n++] = qn_text_copy(m, "--will-cite");
    if (f->jobs)
        argv[n++] = qn_text_format(m, "--jobs=%d", f->jobs);
    argv[n++] = qn_text_copy(m, "--retries=3");
    argv[n++] = qn_text_copy(m, "--quote"); /* it gives the command to a shell */
    argv[n++] = qn_text_format(m, "--joblog=%s/joblog", f->folder);
    argv[n++] = qn_text_copy(m, "sh");
    argv[n++] = qn_text_copy(m, "{1}");
    argv[n++] = qn_text_copy(m, "{2}");
    argv[n++] = qn_text_copy(m, ":::");
    argv[n++] = qn_text_copy(m, f->script); /* among the arguments "{}" is no replacement string */
    argv[n++] = qn_text_copy(m, ":::");
    for (int part = 1; part <= f->parts; part++)
        if (f->wanted[part])
            argv[n++] = qn_text_format(m, "%d", part);
    return n;
}

static size_t add_slurm(struct qn_text_memory *m, const struct qn_exp_farm *f, char **argv, size_t n)
{
    const char *array = "";

    for (int part = 1; part <= f->parts; part++)
        if (f->wanted[part])
            array = qn_text_format(m, "%s%s%d", array, *array ? "," : "", part);
    argv[n++] = qn_text_copy(m, "--parsable");
    argv[n++] = qn_text_copy(m, "--wait");
    argv[n++] = qn_text_copy(m, "--requeue");
    argv[n++] = qn_text_format(m, "--job-name=%s", f->name);
    argv[n++] = qn_text_format(m, "--output=%s/%%a.log", f->folder);
    argv[n++] = f->jobs ? qn_text_format(m, "--array=%s%%%d", array, f->jobs) : qn_text_format(m, "--array=%s", array);
    argv[n++] = qn_text_copy(m, f->script);
    return n;
}

char **qn_exp_farm_command(struct qn_text_memory *m, const struct qn_exp_farm *f)
{
    char **argv = qn_text_alloc(m, (WORDS_MAX + (size_t)f->n_options + (size_t)f->parts) * sizeof *argv);
    size_t n = 0;

    argv[n++] = qn_text_copy(m, f->on == QN_EXP_SLURM ? "sbatch" : "parallel");
    for (int i = 0; i < f->n_options; i++)
        argv[n++] = qn_text_copy(m, f->options[i]);
    n = f->on == QN_EXP_SLURM ? add_slurm(m, f, argv, n) : add_parallel(m, f, argv, n);
    argv[n] = NULL;
    return argv;
}

/* ---- starts the parts of a farm, waits, and stops them after SIGINT, SIGTERM or SIGHUP ---- */

#define NOT_FOUND 127

struct run {
    const struct qn_exp_farm *farm;
    const struct qn_exp_farm_watch *watch;
    pid_t pid;
    int output, status;
    int signal;  /* the signal that interrupted us, 0 = none */
    char id[32]; /* Slurm's number of the array */
};

static int complain(const struct run *r, const char *what) { return qn_text_complain("quern: %s: %s: %s", r->watch->who, what, strerror(errno)), NOT_FOUND; }

static bool start(struct run *r, struct qn_text_memory *m, const sigset_t *before)
{
    char **argv = qn_exp_farm_command(m, r->farm);
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return complain(r, "pipe"), false;
    r->pid = fork();
    if (r->pid == 0) {
        int nothing = open("/dev/null", O_RDWR);

        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, before, NULL);
        dup2(nothing, 0);
        dup2(r->farm->on == QN_EXP_SLURM ? ends[1] : nothing, 1);
        execvp(argv[0], argv);
        _exit(complain(r, argv[0]));
    }
    close(ends[1]);
    r->output = ends[0];
    return r->pid > 0 || (complain(r, "fork"), false);
}

/* Stops the jobs, unless they are Slurm's and shall continue. */
static void stop(struct run *r)
{
    if (*r->id && r->watch->cancel) {
        pid_t pid = fork();

        if (pid == 0) {
            execlp("scancel", "scancel", r->id, (char *)NULL);
            _exit(complain(r, "scancel"));
        }
        if (pid > 0)
            waitpid(pid, NULL, 0);
    } else if (*r->id) {
        qn_text_complain("quern: %s: jobs %s go on; the same command takes their %s", r->watch->who, r->id, r->watch->what);
    }
    kill(-r->pid, SIGTERM);
    kill(-r->pid, SIGTERM); /* at the first SIGTERM, GNU parallel only waits for its jobs */
}

static void await(struct run *r, const sigset_t *awaited)
{
    struct timespec second = { 1, 0 };

    if (r->farm->on == QN_EXP_SLURM && read(r->output, r->id, sizeof r->id - 1) <= 0)
        *r->id = 0;
    r->id[strspn(r->id, "0123456789")] = 0; /* "17" or "17;cluster" */
    while (waitpid(r->pid, &r->status, WNOHANG) == 0) {
        int sig = sigtimedwait(awaited, NULL, &second);

        if (sig > 0 && sig != SIGCHLD && !r->signal) {
            r->signal = sig;
            stop(r);
        }
        if (r->watch->tick)
            r->watch->tick(r->watch->data);
    }
}

int qn_exp_run_farm(struct qn_text_memory *m, const struct qn_exp_farm *farm, const struct qn_exp_farm_watch *watch)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
    struct run r = { .farm = farm, .watch = watch, .output = -1 };
    sigset_t awaited, before;
    bool started;

    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&awaited, signals[i]);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    started = start(&r, m, &before);
    if (started)
        await(&r, &awaited);
    if (r.output >= 0)
        close(r.output);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!started || (WIFEXITED(r.status) && WEXITSTATUS(r.status) == NOT_FOUND))
        return -1;
    return r.signal;
}
