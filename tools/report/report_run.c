/* tools/report/report_run.c - the run for a report, and, if it cannot simulate D1s of other sizes, a second run at the same time.
 *
 *   1  caches, predictors, and the modules 3c, sets, sizes    the profile with the classes of misses, a few hundred intervals,
 *      (--analysis=...: others, as mattson)                   misses by set and by size in its log
 *   2  a sweep                                                a D1 of each size: many at once, in one execution; made if the first
 *                                                             has no analysis sizes, or if the D1 is not LRU, of which that tells
 *
 * They are made by the quern command itself.  The program sees the same environment each time, that of a sweep, so it does the
 * same each time.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tools.h"
#include "exp/result.h"
#include "report_tool.h"
#include "report/report.h"

#define SMALLER 5          /* sizes of the D1: halved so often, */
#define LARGER 4           /* and doubled so often */
#define COUNTING "exact"   /* that of quern run */
#define SIZES "sizes"      /* the analysis that does so, too */
#define USUAL "3c,sets"

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
    if (r->o->instructions)
        qn_report_add_word(r, "--dump-instr=yes");
    if (*r->o->analysis)
        qn_report_add_word(r, qn_exp_format(m, "--analysis=%s", r->o->analysis));
    if (r->o->data)
        qn_report_add_word(r, r->o->data > 1 ? "--data=use" : "--data=yes");
    if (r->o->calls)
        qn_report_add_word(r, "--calls=yes");
    qn_report_add_word(r, "--interval=auto");
    qn_report_add_word(r, qn_exp_format(m, "--interval-file=%s/" QN_REPORT_INTERVALS, r->o->folder));
    qn_report_add_word(r, qn_exp_format(m, "--out-file=%s", profile));
    qn_report_add_word(r, qn_exp_format(m, "--log-file=%s", log));
    return profile;
}

/* A program that cannot be run, or that our engine refuses, ends the report with the message of quern run. */
static int run_once(struct qn_report_runner *r)
{
    const char *log = qn_report_in_work(r, "run.log"), *errors = qn_report_in_work(r, "run.err");
    const char *profile = begin_run(r, log), *ended;
    int status;

    qn_report_begin_step(r, r->sizes < 0 ? "the program: caches, predictors, analyses, intervals"
                                            : "the program: caches, predictors, analyses, intervals; beside it D1s of other sizes");
    status = qn_report_await(r, qn_report_start(r, true, errors));
    if (r->o->guard.signal)
        return 1;
    ended = qn_exp_describe_end(&r->o->memory, status, errors);
    if (access(profile, F_OK)) {
        qn_report_end_steps(r->o);
        qn_text_complain("quern report: %s", strcmp(ended, QN_EXP_OK) ? ended : "the run left no profile");
        return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
    }
    if (strcmp(ended, QN_EXP_OK))
        r->o->ended = ended;
    r->o->log = log;
    return 0;
}

static bool names_sizes(const char *analyses)
{
    const size_t length = strlen(SIZES);

    for (const char *at = analyses; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && !strncmp(at, SIZES, length))
            return true;
    return false;
}

/* Chooses the analyses.  Returns whether the D1 is LRU, the only policy for which analysis sizes gives the misses of other sizes. */
static bool choose_analyses(struct qn_report_options *o)
{
    bool asked = o->analysis && names_sizes(o->analysis), known;
    char *engine = asked || !o->analysis ? qn_engines_default_engine() : NULL, *D1 = NULL;
    struct qn_engines_texts t = { .description = NULL };

    if (engine && qn_engines_read_texts(engine, &t))
        D1 = qn_engines_text_of_slot(t.description, QN_ENGINES_D1);
    known = D1 && !strcmp(D1, "lru");
    if (asked && D1 && !known)
        qn_text_complain("quern report: --analysis=" SIZES ": it knows LRU caches, and the D1 here is %.*s: a second run is made for D1s of other sizes",
                         (int)strcspn(D1, ":"), D1);
    if (!o->analysis)
        o->analysis = known ? USUAL "," SIZES : USUAL;
    free(D1);
    qn_engines_free_texts(&t);
    free(engine);
    return known;
}

/* "D1.size=1024,2048,...": sizes from one set on; ways and line size are those of the D1. */
static const char *list_sizes(struct qn_report_runner *r)
{
    const struct qn_geometry *d1 = &r->geometry[QN_COLLECT_D1];
    uint64_t size = d1->size, least = (uint64_t)d1->assoc * d1->line;
    const char *list = "D1.size=";

    for (int i = 0; i < SMALLER && size / 2 >= least && size % 2 == 0; i++)
        size /= 2;
    for (bool first = true; size <= (uint64_t)d1->size << LARGER; size *= 2, first = false)
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

/* Only experiment files can name an input: `program report { command = {"./prog", "arg"} input = "FILE" }`. */
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

/* As given, else this machine's.  What cannot be read is left to `quern run` to refuse. */
static bool find_geometry(struct qn_report_runner *r)
{
    struct qn_collect_options given = { .aslr = false };
    enum qn_collect_origin origin[QN_COLLECT_LEVELS];

    for (int i = 0; i < QN_COLLECT_LEVELS; i++) {
        struct qn_geometry *g = &given.geometry[i];

        if (r->o->geometry[i] && (sscanf(r->o->geometry[i], "%u,%u,%u", &g->size, &g->assoc, &g->line) != 3 || !g->line))
            return false;
    }
    return qn_collect_choose_geometry(&given, r->geometry, origin);
}

static void begin_sizes(struct qn_report_runner *r, const char *runs, const char *errors)
{
    struct qn_exp_memory *m = &r->o->memory;

    r->sizes = -1;
    r->told = choose_analyses(r->o);
    if (r->told || !find_geometry(r))
        return;
    qn_report_begin_command(r, "sweep");
    qn_report_add_word(r, "-q");
    qn_report_add_word(r, "-o");
    qn_report_add_word(r, runs);
    for (int i = 0; i < QN_COLLECT_LEVELS; i++)
        qn_report_add_word(r, qn_exp_format(m, "--%s=%u,%u,%u", levels[i], r->geometry[i].size, r->geometry[i].assoc, r->geometry[i].line));
    qn_report_add_word(r, "-L");
    qn_report_add_word(r, list_sizes(r));
    for (int i = 0; i < r->o->environment_count; i++)
        qn_report_add_word(r, qn_exp_format(m, "--env=%s", r->o->environment[i]));
    if (r->o->input)
        qn_report_add_word(r, write_experiment(r));
    r->sizes = qn_report_start(r, !r->o->input, errors);
}

/* If there is no result, the page lacks a picture, and a message says so. */
static void end_sizes(struct qn_report_runner *r, const char *runs, const char *errors)
{
    const char *why = NULL;

    if (r->told) {
        if (!r->o->guard.signal && !qn_report_take_sizes(r->o, r->o->log, COUNTING))
            why = "the run says nothing of D1s of other sizes";
    } else {
        qn_report_begin_step(r, "D1s of other sizes, many at once");
        qn_report_await(r, r->sizes);
        if (!r->o->guard.signal && access(runs, F_OK))
            why = qn_exp_format(&r->o->memory, "no run for each size: %s", qn_report_read_error(r, errors, "the sweep failed"));
    }
    if (!why)
        return;
    qn_report_end_steps(r->o);
    qn_text_complain("quern report: %s", why);
}

/* Ends the sweep, because no page will be made. */
static void stop_sizes(struct qn_report_runner *r)
{
    if (r->sizes > 0) {
        kill(r->sizes, SIGTERM);
        qn_report_await(r, r->sizes);
    }
}

int qn_report_run(struct qn_report_options *o)
{
    struct qn_report_runner r = { .o = o };
    const char *runs = qn_exp_format(&o->memory, "%s/" QN_REPORT_RUNS, o->folder), *errors = qn_report_in_work(&r, "sweep.err");
    int status;

    begin_sizes(&r, runs, errors);
    status = run_once(&r);
    if (status || o->guard.signal) {
        stop_sizes(&r);
        return status;
    }
    end_sizes(&r, runs, errors);
    qn_report_begin_step(&r, "pictures and page");
    qn_report_announce(&r);
    o->guard.tick = NULL;
    return 0;
}
