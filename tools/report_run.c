/* tools/report_run.c - the two runs that a report needs.
 *
 *   1  caches, predictors, and the modules 3c and sets    the profile with the classes of misses, a few hundred intervals,
 *      (--analysis=...: others, as mattson)               misses by set in its log
 *   2  a sweep                                            a D1 of each size: many at once, in one execution
 *
 * Both are made by the quern command itself.  The program sees the same environment each time, that of a sweep, so it does the
 * same each time.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exp/result.h"
#include "prof/read.h"
#include "report.h"
#include "report/report.h"
#include "tools.h"

#define SMALLER 5          /* sizes of the D1: halved so often, */
#define LARGER 4           /* and doubled so often */

/* ---- runs ---- */

static const char *const levels[] = { "I1", "D1", "LL" };

static const char *begin_run(struct qn_report_runner *r, const char *log)
{
    struct qn_exp_memory *m = &r->o->memory;
    const char *profile = qn_exp_format(m, "%s/" QN_REPORT_PROFILE, r->o->folder);

    qn_report_begin_command(r, "run");
    for (int i = 0; i < 3; i++)
        if (r->o->geometry[i])
            qn_report_add_word(r, qn_exp_format(m, "--%s=%s", levels[i], r->o->geometry[i]));
    qn_report_add_word(r, "--branch-sim=yes");
    qn_report_add_word(r, "--dump-objects=yes");
    if (*r->o->analysis)
        qn_report_add_word(r, qn_exp_format(m, "--analysis=%s", r->o->analysis));
    qn_report_add_word(r, "--interval=auto");
    qn_report_add_word(r, qn_exp_format(m, "--interval-file=%s/" QN_REPORT_INTERVALS, r->o->folder));
    qn_report_add_word(r, qn_exp_format(m, "--out-file=%s", profile));
    qn_report_add_word(r, qn_exp_format(m, "--log-file=%s", log));
    return profile;
}

/* The caches of the run. */
static enum qn_text_status read_geometry(struct qn_report_runner *r, const char *profile, struct qn_text_error *err)
{
    struct qn_prof_reader *reader = qn_prof_open_reader(profile, err);

    if (!reader)
        return err->status;
    qn_out_csv_find_geometry(qn_prof_reader_header(reader), r->geometry);
    qn_prof_close_reader(reader);
    return QN_TEXT_OK;
}

/* A program that cannot be run, or that our engine refuses, ends the report with the message of quern run. */
static int run_once(struct qn_report_runner *r)
{
    const char *log = qn_report_in_work(r, "run.log"), *errors = qn_report_in_work(r, "run.err");
    const char *profile = begin_run(r, log), *ended;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    int status;

    qn_report_begin_step(r, 1, "the program once: caches, predictors, analyses, intervals");
    status = qn_report_start(r, true, errors);
    if (r->o->guard.signal)
        return 1;
    ended = qn_exp_describe_end(&r->o->memory, status, errors);
    if (access(profile, F_OK)) {
        qn_text_complain("quern report: %s", strcmp(ended, QN_EXP_OK) ? ended : "the run left no profile");
        return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
    }
    if (strcmp(ended, QN_EXP_OK))
        r->o->ended = ended;
    r->o->log = log;
    if (read_geometry(r, profile, &err) == QN_TEXT_OK)
        return 0;
    fprintf(stderr, "quern report: %s\n", err.text);
    return 1;
}

/* "D1.size=1024,2048,...": of one set at least, ways and lines as they are. */
static const char *list_sizes(struct qn_report_runner *r)
{
    const uint64_t *d1 = r->geometry + 3;
    uint64_t size = d1[0], least = d1[1] * d1[2];
    const char *list = "D1.size=";

    for (int i = 0; i < SMALLER && size / 2 >= least && size % 2 == 0; i++)
        size /= 2;
    for (bool first = true; size <= d1[0] << LARGER; size *= 2, first = false)
        list = qn_exp_format(&r->o->memory, "%s%s%llu", list, first ? "" : ",", (unsigned long long)size);
    return list;
}

static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* Input is a matter of experiment files: `program report { command = {"./prog", "arg"} input = "FILE" }`. */
static const char *write_experiment(struct qn_report_runner *r)
{
    const char *path = qn_report_in_work(r, "sizes.exp");
    FILE *out = fopen(path, "w");

    if (!out)
        return NULL;
    fputs("program report {\n  command = {", out);
    for (int i = 0; r->o->program[i]; i++) {
        fputs(i ? ", " : "", out);
        put_quoted(out, r->o->program[i]);
    }
    fputs("}\n  input = ", out);
    put_quoted(out, r->o->input);
    fputs("\n}\n", out);
    return fclose(out) ? NULL : path;
}

/* Without this run the page lacks a picture, and says so. */
static void run_sizes(struct qn_report_runner *r)
{
    struct qn_exp_memory *m = &r->o->memory;
    const char *runs = qn_exp_format(m, "%s/" QN_REPORT_RUNS, r->o->folder),
               *errors = qn_report_in_work(r, "sweep.err");

    qn_report_begin_step(r, 2, "a D1 of each size, many at once");
    qn_report_begin_command(r, "sweep");
    qn_report_add_word(r, "-q");
    qn_report_add_word(r, "-o");
    qn_report_add_word(r, runs);
    for (int i = 0; i < 3; i++)
        qn_report_add_word(r, qn_exp_format(m, "--%s=%llu,%llu,%llu", levels[i], (unsigned long long)r->geometry[3 * i],
                             (unsigned long long)r->geometry[3 * i + 1], (unsigned long long)r->geometry[3 * i + 2]));
    qn_report_add_word(r, "-L");
    qn_report_add_word(r, list_sizes(r));
    for (int i = 0; i < r->o->environment_count; i++)
        qn_report_add_word(r, qn_exp_format(m, "--env=%s", r->o->environment[i]));
    if (r->o->input)
        qn_report_add_word(r, write_experiment(r));
    qn_report_start(r, !r->o->input, errors);
    if (!r->o->guard.signal && access(runs, F_OK))
        qn_text_complain("quern report: no run for each size: %s",
                         qn_report_read_error(r, errors, "the sweep failed"));
}

int qn_report_run(struct qn_report_options *o)
{
    struct qn_report_runner r = { .o = o };
    int status = run_once(&r);

    if (status)
        return status;
    run_sizes(&r);
    qn_report_begin_step(&r, 3, "pictures and page");
    o->guard.tick = NULL;
    return 0;
}
