/* lib/serve/run.c - starts and ends the process of a run (runner.c), and reads its answer from a pipe. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lab/sandbox/sandbox.h"
#include "serve/serve.h"

#define READ_BYTES 65536

static void become_runner(const struct qn_serve *s, const struct qn_serve_wanted *w, int out)
{
    sigset_t none;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    qn_serve_work(s, w, out);
    _exit(0);
}

bool qn_serve_start(struct qn_serve *s, struct qn_serve_request *r, const struct qn_serve_wanted *w)
{
    struct qn_serve_run *run = calloc(1, sizeof *run);
    int ends[2];

    if (!run || pipe2(ends, O_CLOEXEC))
        return free(run), false;
    run->request = r;
    run->pipe = ends[0];
    fcntl(run->pipe, F_SETFL, O_NONBLOCK);
    qn_lab_adopt_orphans();
    run->runner = fork();
    if (run->runner == 0)
        become_runner(s, w, ends[1]);
    close(ends[1]);
    if (run->runner < 0)
        return close(ends[0]), free(run), false;
    s->run = r->run = run;
    MHD_suspend_connection(r->connection);
    return true;
}

/* Waits until all processes of the run are gone (kills them first if `given_up`); then the request goes on. */
static void end(struct qn_serve *s, bool given_up)
{
    struct qn_serve_run *run = s->run;
    int status;

    qn_lab_reap(run->runner, &status, given_up);
    close(run->pipe);
    run->pipe = -1;
    run->ended = true;
    s->run = NULL;
    MHD_resume_connection(run->request->connection);
}

void qn_serve_take(struct qn_serve *s)
{
    static char bytes[READ_BYTES];
    struct qn_serve_run *run = s->run;
    ssize_t n = read(run->pipe, bytes, sizeof bytes);
    char *longer;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        end(s, false);
        return;
    }
    longer = run->size + (size_t)n > QN_SERVE_RESULT_MAX ? NULL : realloc(run->answer, run->size + (size_t)n);
    if (!longer) {
        run->size = 0; /* no answer: an error */
        end(s, true);
        return;
    }
    memcpy(longer + run->size, bytes, (size_t)n);
    run->answer = longer;
    run->size += (size_t)n;
}

void qn_serve_end_run(struct qn_serve *s)
{
    if (!s->run)
        return;
    s->run->size = 0;
    end(s, true);
}
