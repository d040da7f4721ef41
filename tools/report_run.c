/* tools/report_run.c - the runs that a report needs.
 *
 *   1  as it is                     how many instructions, and whether it works at all
 *   2  with the module 3c           profile with the classes of misses; intervals, about two hundred
 *   3  with the module mattson      the curve by stack distances, in its log
 *   4  with the module sets         misses by set, in its log
 *   5  a sweep                      a D1 of each size
 *
 * All of them are made by the quern command itself.  The program sees the same environment each time, that of a sweep,
 * so it does the same each time.
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

#define INTERVALS 200      /* of the run */
#define INTERVAL_LEAST 1000 /* instructions */
#define STEPS 5
#define SMALLER 5          /* sizes of the D1: halved so often, */
#define LARGER 4           /* and doubled so often */

static void say(const struct qn_report_runner *r, int step, const char *what)
{
    if (!r->o->quiet && !r->o->guard.signal)
        fprintf(stderr, "quern report: %d of %d: %s\n", step, STEPS, what);
}

/* ---- runs ---- */

static const char *const levels[] = { "I1", "D1", "LL" };

static void begin_run(struct qn_report_runner *r, const char *profile, const char *log)
{
    struct qn_exp_memory *m = &r->o->memory;

    qn_report_begin_command(r, "run");
    for (int i = 0; i < 3; i++)
        if (r->o->geometry[i])
            qn_report_add_word(r, qn_exp_format(m, "--%s=%s", levels[i], r->o->geometry[i]));
    qn_report_add_word(r, "--branch-sim=yes");
    qn_report_add_word(r, "--dump-objects=yes");
    qn_report_add_word(r, qn_exp_format(m, "--out-file=%s", profile));
    qn_report_add_word(r, qn_exp_format(m, "--log-file=%s", log));
}

/* Instructions and caches of the first run. */
static enum qn_text_status read_first(struct qn_report_runner *r, const char *profile, struct qn_text_error *err)
{
    struct qn_prof_reader *reader = qn_prof_open_reader(profile, err);
    struct qn_prof_item item;

    if (!reader)
        return err->status;
    qn_out_csv_find_geometry(qn_prof_reader_header(reader), r->geometry);
    while (qn_prof_read_next(reader, &item, err) > 0)
        if (item.kind == QN_PROF_SUMMARY)
            r->instructions = (uint64_t)item.counts[0];
    qn_prof_close_reader(reader);
    return err->status;
}

/* A program that cannot be run, or that our engine refuses, ends the report with the message of quern run. */
static int run_first(struct qn_report_runner *r)
{
    const char *profile = qn_report_in_work(r, "first"), *errors = qn_report_in_work(r, "first.err");
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const char *ended;
    int status;

    say(r, 1, "the program as it is");
    begin_run(r, profile, qn_report_in_work(r, "first.log"));
    status = qn_report_start(r, true, errors);
    if (r->o->guard.signal)
        return 1;
    ended = qn_exp_describe_end(&r->o->memory, status, errors);
    if (access(profile, F_OK)) {
        qn_tool_complain("quern report: %s", strcmp(ended, QN_EXP_OK) ? ended : "the run left no profile");
        return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
    }
    if (strcmp(ended, QN_EXP_OK))
        r->o->ended = ended;
    if (read_first(r, profile, &err) == QN_TEXT_OK)
        return 0;
    fprintf(stderr, "quern report: %s\n", err.text);
    return 1;
}

static int fail(struct qn_report_runner *r, const char *errors)
{
    if (r->o->guard.signal)
        return 1;
    qn_tool_complain("quern report: %s", qn_report_read_error(r, errors, "a run that worked before has failed"));
    return 1;
}

static int run_classes(struct qn_report_runner *r)
{
    struct qn_exp_memory *m = &r->o->memory;
    const char *profile = qn_exp_format(m, "%s/" QN_REPORT_PROFILE, r->o->folder);
    const char *errors = qn_report_in_work(r, "classes.err");
    uint64_t interval = r->instructions / INTERVALS;

    say(r, 2, "the three Cs, and counts by interval");
    begin_run(r, profile, qn_report_in_work(r, "classes.log"));
    qn_report_add_word(r, "--sim=AN=3c");
    qn_report_add_word(r, qn_exp_format(m, "--interval=%llu",
                         (unsigned long long)(interval < INTERVAL_LEAST ? INTERVAL_LEAST : interval)));
    qn_report_add_word(r, qn_exp_format(m, "--interval-file=%s/" QN_REPORT_INTERVALS, r->o->folder));
    qn_report_start(r, true, errors);
    return access(profile, F_OK) ? fail(r, errors) : 0;
}

/* A run with an analysis module of which the log is wanted; NULL in `to` where it could not be built. */
static int run_module(struct qn_report_runner *r, int step, const char *module, const char *what, const char **to)
{
    const char *log, *errors, *profile;

    log = qn_report_in_work(r, qn_exp_format(&r->o->memory, "%s.log", module));
    errors = qn_report_in_work(r, qn_exp_format(&r->o->memory, "%s.err", module));
    profile = qn_report_in_work(r, qn_exp_format(&r->o->memory, "%s.profile", module));
    say(r, step, what);
    begin_run(r, profile, log);
    qn_report_add_word(r, qn_exp_format(&r->o->memory, "--sim=AN=%s", module));
    qn_report_start(r, true, errors);
    if (access(log, F_OK))
        return fail(r, errors);
    *to = log;
    return 0;
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

    say(r, 5, "a D1 of each size");
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
        qn_tool_complain("quern report: no run for each size: %s",
                         qn_report_read_error(r, errors, "the sweep failed"));
}

int qn_report_run(struct qn_report_options *o)
{
    struct qn_report_runner r = { .o = o };
    int status;

    if ((status = run_first(&r)) || (status = run_classes(&r))
        || (status = run_module(&r, 3, "mattson", "stack distances", &o->mattson_log))
        || (status = run_module(&r, 4, "sets", "misses by set", &o->sets_log)))
        return status;
    run_sizes(&r);
    return 0;
}
