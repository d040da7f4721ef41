/* tools/report/report_run.c - the run for a report, and, if it cannot simulate D1s of other sizes, a second run at the same time.
 *
 *   1  caches, predictors, and the modules 3c, sets, sizes    the profile with the classes of misses, a few hundred intervals,
 *      (--analysis=...: others, as mattson)                   misses by set and by size in the tables beside it
 *   2  a sweep                                                a D1 of each size: many at once, in one execution; made if the first
 *                                                             has no analysis sizes, or if the D1 is not LRU, of which that tells
 *
 * They are made by the quern command itself.  The program sees the same environment each time, that of a sweep, so it does the
 * same each time.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tools.h"
#include "exp/exp.h"
#include "exp/jobs.h"
#include "exp/rows.h"
#include "report/report.h"
#include "report_tool.h"

#define SMALLER 5          /* sizes of the D1: halved so often, */
#define LARGER 4           /* and doubled so often */
#define SIZES "sizes"      /* the analysis that does so, too */
#define USUAL "3c,sets"
#define ANNOUNCED_AFTER 1 /* seconds */

/* A quern command that is being made and run. */
struct runner {
    struct qn_report_options *o;
    struct qn_geometry geometry[QN_COLLECT_LEVELS]; /* of the program's caches */
    bool told;                                  /* the run says what D1s of other sizes miss */
    pid_t sizes;                                /* the second command; -1: there is none */
    int steps;                                  /* so many were begun */
    const char *step;                           /* what is being done, "1 of 3: ..." */
    bool announced;                             /* the user was told so, or need not be */
    double started;                             /* seconds */
};

/* ---- progress ---- */

static bool shows_progress(const struct qn_report_options *o) { return !o->quiet && isatty(STDERR_FILENO); }

static void show_progress(void *data)
{
    const struct runner *r = data;

    fprintf(stderr, "\rquern report: %s (%.0f s)\033[K", r->step, qn_exp_now() - r->started);
}

static void announce(struct runner *r)
{
    if (r->step && !r->announced && !r->o->guard.signal && !r->o->quiet && !shows_progress(r->o))
        fprintf(stderr, "quern report: %s\n", r->step);
    r->announced = true;
}

/* A run that is refused ends before. */
static void announce_late(void *data)
{
    struct runner *r = data;

    if (qn_exp_now() - r->started >= ANNOUNCED_AFTER)
        announce(r);
}

/* Shows which step begins, with its number: on a terminal in one line, with the seconds that have passed, else in a line of its own, which
 * comes when a second has passed or the step has ended well, so that a run that is refused has its message alone. */
static void begin_step(struct runner *r, const char *what)
{
    announce(r);
    r->step = qn_text_format(&r->o->memory, "%d of %d: %s", ++r->steps, r->told ? 2 : 3, what);
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

/* ---- commands ----
 *
 *   w = begin(&r, "run");  ADD(&w, "--D1=1024,2,64");
 *   child = start(&r, &w, true, errors)    ->  quern run --D1=1024,2,64 -- ./prog args
 *   status = await(&r, child)
 */

#define ADD qn_text_add_word

static struct qn_text_words begin(struct runner *r, const char *command)
{
    struct qn_text_words w = { .memory = &r->o->memory };

    ADD(&w, "%s", r->o->self);
    ADD(&w, "%s", command);
    return w;
}

static const char *in_work(struct runner *r, const char *name)
{
    return qn_text_format(&r->o->memory, "%s/%s", r->o->work, name);
}

/* The machine's caches stay as they are stated: the report's runs are simulated on that machine. */
static void set_environment(const struct qn_report_options *o)
{
    char *values[QN_REPORT_ENVIRONMENT_MAX], *caches = getenv("QUERN_CACHES");

    for (int i = 0; i < o->environment_count; i++)
        values[i] = getenv(o->environment[i]);
    clearenv();
    putenv((char *)"PATH=/usr/local/bin:/usr/bin:/bin");
    putenv((char *)"LC_ALL=C");
    if (caches)
        setenv("QUERN_CACHES", caches, 1);
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
static pid_t start(struct runner *r, struct qn_text_words *w, bool with_program, const char *errors)
{
    pid_t child;

    if (with_program) {
        ADD(w, "--");
        qn_text_add_words(w, r->o->program);
    }
    child = r->o->guard.signal ? -1 : fork();
    if (child == 0) {
        qn_engines_in_child(&r->o->guard);
        redirect(r->o, errors);
        if (with_program)
            set_environment(r->o);
        execv(w->at[0], w->at);
        _exit(127);
    }
    return child;
}

static int await(struct runner *r, pid_t child) { return child > 0 ? qn_engines_await(&r->o->guard, child) : -1; }

/* The last line of a file of errors, which tells why. */
static const char *read_error(struct runner *r, const char *path, const char *otherwise)
{
    FILE *file = fopen(path, "r");
    const char *last = otherwise;
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "quern: ", 7) || last == otherwise)
            last = qn_text_copy(&r->o->memory, line);
    }
    free(line);
    if (file)
        fclose(file);
    return last;
}

/* ---- runs ---- */

static const char *const levels[] = { "I1", "D1", "LL", "L2" };

static struct qn_text_words begin_run(struct runner *r, const char *profile)
{
    struct qn_text_words w = begin(r, "run");

    for (int i = 0; i < QN_COLLECT_LEVELS; i++)
        if (r->o->geometry[i])
            ADD(&w, "--%s=%s", levels[i], r->o->geometry[i]);
    if (r->o->machine)
        ADD(&w, "--machine=%s", r->o->machine);
    if (r->o->cores)
        ADD(&w, "--cores=%s", r->o->cores);
    ADD(&w, "--branch-sim=yes");
    ADD(&w, "--dump-objects=yes");
    if (r->o->instructions)
        ADD(&w, "--dump-instr=yes");
    if (*r->o->analysis)
        ADD(&w, "--analysis=%s", r->o->analysis);
    if (r->o->data)
        ADD(&w, r->o->data > 1 ? "--data=use" : "--data=yes");
    if (r->o->calls)
        ADD(&w, "--calls=yes");
    if (!r->o->cores) {
        ADD(&w, "--interval=auto");
        ADD(&w, "--interval-file=%s/" QN_REPORT_INTERVALS, r->o->folder);
    }
    ADD(&w, "--out-file=%s", profile);
    ADD(&w, "-q");
    return w;
}

/* A program that cannot be run, or that our engine refuses, ends the report with the message of quern run. */
static int run_once(struct runner *r)
{
    const char *errors = in_work(r, "run.err");
    const char *profile = qn_text_format(&r->o->memory, "%s/" QN_REPORT_PROFILE, r->o->folder), *ended;
    struct qn_text_words w = begin_run(r, profile);
    int status;

    begin_step(r, r->sizes < 0 ? "the program: caches, predictors, analyses, intervals"
                                            : "the program: caches, predictors, analyses, intervals; beside it D1s of other sizes");
    status = await(r, start(r, &w, true, errors));
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
    const char *machine = o->from_machine.module[QN_EXP_SLOT_D1].name; /* tlb: beside a D1 that is LRU */
    bool asked = o->analysis && names_sizes(o->analysis), known;
    char *engine = asked || !o->analysis ? qn_engines_default_engine() : NULL, *D1 = NULL;
    struct qn_engines_texts t = { .description = NULL };

    if (o->cores && !o->analysis) { /* caches of other sizes would share lines otherwise */
        o->analysis = USUAL ",sharing";
        free(engine);
        return true;
    }
    if (engine && qn_engines_read_texts(engine, &t))
        D1 = qn_engines_text_of_slot(t.description, QN_ENGINES_D1);
    if (machine && strcmp(machine, "tlb")) {
        free(D1);
        D1 = strdup(machine);
    }
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
static const char *list_sizes(struct runner *r)
{
    const struct qn_geometry *d1 = &r->geometry[QN_COLLECT_D1];
    uint64_t size = d1->size, least = (uint64_t)d1->assoc * d1->line;
    const char *list = "D1.size=";

    for (int i = 0; i < SMALLER && size / 2 >= least && size % 2 == 0; i++)
        size /= 2;
    for (bool first = true; size <= (uint64_t)d1->size << LARGER; size *= 2, first = false)
        list = qn_text_format(&r->o->memory, "%s%s%llu", list, first ? "" : ",", (unsigned long long)size);
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
static const char *write_experiment(struct runner *r)
{
    const char *path = in_work(r, "sizes.exp");
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
static bool find_geometry(struct runner *r)
{
    struct qn_collect_options given = { .from_machine = r->o->from_machine };
    enum qn_collect_origin origin[QN_COLLECT_LEVELS];

    for (int i = 0; i < QN_COLLECT_LEVELS; i++) {
        struct qn_geometry *g = &given.geometry[i];

        if (r->o->geometry[i] && (sscanf(r->o->geometry[i], "%u,%u,%u", &g->size, &g->assoc, &g->line) != 3 || !g->line))
            return false;
    }
    return qn_collect_choose_geometry(&given, r->geometry, origin);
}

static void begin_sizes(struct runner *r, const char *runs, const char *errors)
{
    struct qn_text_words w = begin(r, "sweep");
    const char *experiment = NULL;

    r->sizes = -1;
    r->told = choose_analyses(r->o);
    if (r->told || !find_geometry(r))
        return;
    ADD(&w, "-q");
    ADD(&w, "-o");
    ADD(&w, "%s", runs);
    for (int i = 0; i < QN_COLLECT_LEVELS; i++)
        if (r->geometry[i].line)
            ADD(&w, "--%s=%u,%u,%u", levels[i], r->geometry[i].size, r->geometry[i].assoc, r->geometry[i].line);
    if (r->o->machine)
        ADD(&w, "-Lmachine=%s", r->o->machine);
    ADD(&w, "-L");
    ADD(&w, "%s", list_sizes(r));
    for (int i = 0; i < r->o->environment_count; i++)
        ADD(&w, "--env=%s", r->o->environment[i]);
    if (r->o->input && !(experiment = write_experiment(r)))
        return;
    if (r->o->input)
        ADD(&w, "%s", experiment);
    r->sizes = start(r, &w, !r->o->input, errors);
}

/* If there is no result, the page lacks a picture, and a message says so. */
static void end_sizes(struct runner *r, const char *runs, const char *errors)
{
    const char *why = NULL;

    if (r->told) {
        if (!r->o->guard.signal && !r->o->cores && rename(qn_text_format(&r->o->memory, "%s/" QN_REPORT_SIZES_OF_RUN, r->o->folder), runs))
            why = "the run says nothing of D1s of other sizes";
    } else {
        begin_step(r, "D1s of other sizes, many at once");
        await(r, r->sizes);
        if (!r->o->guard.signal && access(runs, F_OK))
            why = qn_text_format(&r->o->memory, "no run for each size: %s", read_error(r, errors, "the sweep failed"));
    }
    if (!why)
        return;
    qn_report_end_steps(r->o);
    qn_text_complain("quern report: %s", why);
}

/* Ends the sweep, because no page will be made. */
static void stop_sizes(struct runner *r)
{
    if (r->sizes > 0) {
        kill(r->sizes, SIGTERM);
        await(r, r->sizes);
    }
}

int qn_report_run(struct qn_report_options *o)
{
    struct runner r = { .o = o };
    const char *runs = qn_text_format(&o->memory, "%s/" QN_REPORT_RUNS, o->folder), *errors = in_work(&r, "sweep.err");
    int status;

    begin_sizes(&r, runs, errors);
    status = run_once(&r);
    if (status || o->guard.signal) {
        stop_sizes(&r);
        return status;
    }
    end_sizes(&r, runs, errors);
    begin_step(&r, "pictures and page");
    announce(&r);
    o->guard.tick = NULL;
    return 0;
}
