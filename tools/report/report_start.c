/* tools/report/report_start.c - starts a quern command for `quern report`, and reads what it complained of.
 *
 *   qn_report_begin_command(&r, "run");  qn_report_add_word(&r, "--D1=1024,2,64");
 *   child = qn_report_start(&r, true, errors)    ->  quern run --D1=1024,2,64 -- ./prog args
 *   status = qn_report_await(&r, child)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exp/jobs.h"
#include "report_tool.h"

#define ANNOUNCED_AFTER 1 /* seconds */

/* ---- progress ---- */

static bool shows_progress(const struct qn_report_options *o) { return !o->quiet && isatty(STDERR_FILENO); }

static void show_progress(void *data)
{
    const struct qn_report_runner *r = data;

    fprintf(stderr, "\rquern report: %s (%.0f s)\033[K", r->step, qn_exp_now() - r->started);
}

void qn_report_announce(struct qn_report_runner *r)
{
    if (r->step && !r->announced && !r->o->guard.signal && !r->o->quiet && !shows_progress(r->o))
        fprintf(stderr, "quern report: %s\n", r->step);
    r->announced = true;
}

/* A run that is refused ends before. */
static void announce_late(void *data)
{
    struct qn_report_runner *r = data;

    if (qn_exp_now() - r->started >= ANNOUNCED_AFTER)
        qn_report_announce(r);
}

void qn_report_begin_step(struct qn_report_runner *r, const char *what)
{
    qn_report_announce(r);
    r->step = qn_exp_format(&r->o->memory, "%d of %d: %s", ++r->steps, r->told ? 2 : 3, what);
    r->announced = false;
    r->started = qn_exp_now();
    if (r->o->guard.signal || r->o->quiet)
        return;
    r->o->guard.tick = shows_progress(r->o) ? show_progress : announce_late;
    r->o->guard.tick_data = r;
    if (shows_progress(r->o))
        show_progress(r);
}

void qn_report_end_steps(const struct qn_report_options *o)
{
    if (shows_progress(o))
        fputs("\r\033[K", stderr);
}

/* ---- commands ---- */

void qn_report_begin_command(struct qn_report_runner *r, const char *command)
{
    r->count = 0;
    r->words[r->count++] = r->o->self;
    r->words[r->count++] = command;
}

void qn_report_add_word(struct qn_report_runner *r, const char *word)
{
    if (r->count < QN_REPORT_WORDS_MAX - 1)
        r->words[r->count++] = word;
}

const char *qn_report_in_work(struct qn_report_runner *r, const char *name)
{
    return qn_exp_format(&r->o->memory, "%s/%s", r->o->work, name);
}

/* argv of `words` and the program. */
static char **make_argv(struct qn_report_runner *r, bool with_program)
{
    int n = 0, arguments = 0;
    char **argv;

    while (r->o->program[arguments])
        arguments++;
    argv = qn_exp_alloc(&r->o->memory, (size_t)(r->count + arguments + 2) * sizeof *argv);
    for (int i = 0; i < r->count; i++)
        argv[n++] = (char *)r->words[i];
    if (with_program)
        argv[n++] = (char *)"--";
    for (int i = 0; i < arguments && with_program; i++)
        argv[n++] = r->o->program[i];
    return argv;
}

static void set_environment(const struct qn_report_options *o)
{
    char *values[QN_REPORT_ENVIRONMENT_MAX];

    for (int i = 0; i < o->environment_count; i++)
        values[i] = getenv(o->environment[i]);
    clearenv();
    putenv((char *)"PATH=/usr/local/bin:/usr/bin:/bin");
    putenv((char *)"LC_ALL=C");
    for (int i = 0; i < o->environment_count; i++)
        if (strchr(o->environment[i], '='))
            putenv((char *)o->environment[i]);
        else if (values[i])
            setenv(o->environment[i], values[i], 1);
}

/* Standard input is that of the program, output goes nowhere, errors to a file. */
static void redirect(const struct qn_report_options *o, const char *errors)
{
    int in = open(o->input ? o->input : "/dev/null", O_RDONLY), out = open("/dev/null", O_WRONLY);
    int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (in < 0 || out < 0 || err < 0)
        _exit(1);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
}

/* -1: nothing was started, for example after a signal. */
pid_t qn_report_start(struct qn_report_runner *r, bool with_program, const char *errors)
{
    char **argv = make_argv(r, with_program);
    pid_t child = r->o->guard.signal ? -1 : fork();

    if (child == 0) {
        qn_engines_in_child(&r->o->guard);
        redirect(r->o, errors);
        if (with_program)
            set_environment(r->o);
        execv(argv[0], argv);
        _exit(127);
    }
    return child;
}

int qn_report_await(struct qn_report_runner *r, pid_t child) { return child > 0 ? qn_engines_await(&r->o->guard, child) : -1; }

/* The last line of a file of errors, which tells why. */
const char *qn_report_read_error(struct qn_report_runner *r, const char *path, const char *otherwise)
{
    FILE *file = fopen(path, "r");
    const char *last = otherwise;
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "quern: ", 7) || last == otherwise)
            last = qn_exp_copy(&r->o->memory, line);
    }
    free(line);
    if (file)
        fclose(file);
    return last;
}
