/* tools/sim/compare.c - `quern sim compare`: a program under each of some modules, and a table of what they miss.
 *
 * In:  lru, srrip, ship -- ./prog
 * Out:   D1 misses        %     mpki  module          mpki: per 1000 instructions
 *          129,820   12.096   41.706  lru
 *          116,831   10.886   37.533  srrip
 *
 * The runs are those of `quern sweep`, which simulates in one execution what can share one; the picture is one of `quern plot`.  A column
 * is printed if the modules differ in it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tools.h"
#include "base/base.h"
#include "engines/engines.h"
#include "sim_tool.h"
#include "text/csv.h"
#include "text/output.h"

/* How messages of the sweep begin. */
#define SWEEPS "quern: sweep: "
#define OPTION "-L sim: "

/* What the table may have: the events that are added up, the rates, and what a picture shows. */
static const struct measure {
    const char *slot, *title, *events[2], *rates[2];
} measures[] = {
    { "I1=", "I1 misses", { "I1mr", NULL }, { "I1_miss_percent", "I1_mpki" } },
    { "D1=", "D1 misses", { "D1mr", "D1mw" }, { "D1_miss_percent", "D1_mpki" } },
    { "LL=", "LL misses of data", { "DLmr", "DLmw" }, { "LL_miss_percent", "LL_mpki" } },
    { "BC=", "branches mispredicted", { "Bcm", NULL }, { "Bc_miss_percent", "Bc_mpki" } },
    { "BI=", "indirect ones", { "Bim", NULL }, { "Bi_miss_percent", "Bi_mpki" } },
};
enum { MEASURES = QN_ARRAY_LEN(measures), USUAL = 1 };

static double count(const struct qn_text_table *t, int row, const struct measure *m)
{
    double sum = 0;

    for (size_t i = 0; i < QN_ARRAY_LEN(m->events); i++)
        sum += m->events[i] ? qn_text_number(t, row, qn_text_find_column(t, m->events[i])) : 0;
    return sum;
}

static bool differs(const struct qn_text_table *t, const struct measure *m)
{
    for (int row = 1; row < t->row_count; row++)
        if (count(t, row, m) != count(t, 0, m))
            return true;
    return false;
}

/* ---- the table ---- */

#define COUNT_COLUMNS 15

static int width(const struct measure *m)
{
    int n = (int)strlen(m->title) + 2;

    return n > COUNT_COLUMNS ? n : COUNT_COLUMNS;
}

static void print_number(double number, int columns)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", number), commas = (n - 1) / 3;

    printf("%*s", columns - n - commas, "");
    for (int i = 0; i < n; i++)
        printf("%c%s", digits[i], (n - 1 - i) % 3 == 0 && i + 1 < n ? "," : "");
}

static void print_table(const struct qn_text_table *t, const bool shown[MEASURES])
{
    for (int m = 0; m < MEASURES; m++)
        if (shown[m])
            printf("%*s%9s%9s", width(&measures[m]), measures[m].title, "%", "mpki");
    puts("  module");
    for (int row = 0; row < t->row_count; row++) {
        for (int m = 0; m < MEASURES; m++)
            if (shown[m]) {
                print_number(count(t, row, &measures[m]), width(&measures[m]));
                printf("%9.3f%9.3f", qn_text_number(t, row, qn_text_find_column(t, measures[m].rates[0])),
                       qn_text_number(t, row, qn_text_find_column(t, measures[m].rates[1])));
            }
        printf("  %s\n", qn_text_cell(t, row, qn_text_find_column(t, "sim")));
    }
}

/* A run that went wrong has a line; what it counted is in the table all the same. */
static int tell_failed(const struct qn_text_table *t)
{
    int failed = 0;

    for (int row = 0; row < t->row_count; row++) {
        const char *status = qn_text_cell(t, row, qn_text_find_column(t, "status"));

        if (strcmp(status, "ok")) {
            qn_text_complain("quern: sim compare: %s: %s", qn_text_cell(t, row, qn_text_find_column(t, "sim")), status);
            failed = 1;
        }
    }
    return failed;
}

/* ---- the runs and the picture ---- */

struct work {
    const struct qn_sim_comparison *c;
    struct qn_text_memory memory; /* what words are made of */
    const char *own, *csv, *said; /* said: the sweep's messages */
};

/* Runs a command whose messages go into a file. */
static int run_quietly(struct work *w, char **words)
{
    int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), file = open(w->said, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), status;

    dup2(file, STDERR_FILENO);
    status = qn_engines_run(words);
    dup2(own, STDERR_FILENO);
    close(file);
    close(own);
    return status;
}

/* Prints what the sweep said as messages of `sim compare`, without the sweep's option, which the user did not give. */
static void pass_on(struct work *w)
{
    FILE *file = fopen(w->said, "r");
    char *line = NULL, *text;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        text = !strncmp(line, SWEEPS, strlen(SWEEPS)) ? line + strlen(SWEEPS) : line;
        fputs(text > line ? "quern: sim compare: " : "", stderr);
        fputs(text + (text > line && !strncmp(text, OPTION, strlen(OPTION)) ? strlen(OPTION) : 0), stderr);
    }
    free(line);
    if (file)
        fclose(file);
}

static int sweep(struct work *w)
{
    static const char *const caches[] = { "--I1", "--D1", "--LL" };
    const struct qn_sim_comparison *c = w->c;
    struct qn_text_words sweep = { .memory = &w->memory };
    char *sims = c->modules[0];
    int status;

    for (char **m = c->modules + 1; *m; m++)
        sims = qn_text_format(&w->memory, "%s;%s", sims, *m);
    for (const char *const *word = (const char *const[]){ w->own, "sweep", "-q", "-j1", "--branch-sim=yes", "-o", w->csv, NULL }; *word; word++)
        qn_text_add_word(&sweep, "%s", *word);
    qn_text_add_word(&sweep, "-Lsim=%s", sims);
    for (int slot = QN_ENGINES_I1; slot <= QN_ENGINES_LL; slot++)
        if (c->geometry[slot])
            qn_text_add_word(&sweep, "%s=%s", caches[slot], c->geometry[slot]);
    if (c->sim_opt)
        qn_text_add_word(&sweep, "--sim-opt=%s", c->sim_opt);
    qn_text_add_word(&sweep, "--");
    qn_text_add_words(&sweep, c->program);
    status = run_quietly(w, sweep.at);
    pass_on(w);
    return status;
}

static int plot(struct work *w, const struct measure *m)
{
    char *y = qn_text_format(&w->memory, "--y=%s", m->rates[1]);
    const char *words[] = { w->own, "plot", "curve", w->csv, "-o", w->c->plot, "--x=sim", y, "--curve=", "--panel=", NULL };

    return qn_engines_run((char **)words);
}

static int tell(struct work *w)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table t = { .row_count = 0 };
    bool shown[MEASURES] = { false };
    int first = -1, status = 0;

    if (qn_text_read_table(&t, w->csv, &err) != QN_TEXT_OK) {
        qn_text_complain("quern: sim compare: %s", err.text);
        status = 1;
    } else {
        for (int m = 0; m < MEASURES; m++) {
            shown[m] = differs(&t, &measures[m]);
            first = first < 0 && shown[m] ? m : first;
        }
        for (int m = 0; first < 0 && m < MEASURES; m++) /* all miss the same */
            first = strncmp(w->c->modules[0], measures[m].slot, 3) ? -1 : m;
        first = first < 0 ? USUAL : first;
        shown[first] = true;
        print_table(&t, shown);
        if (w->c->plot)
            status = fflush(stdout) || plot(w, &measures[first]);
        status |= tell_failed(&t);
    }
    qn_text_free_table(&t);
    return status;
}

int qn_sim_compare(const struct qn_sim_comparison *c)
{
    struct work w = { .c = c, .own = qn_engines_own_path("sim compare") };
    const char *place = getenv("TMPDIR");
    char *folder;
    int status = 1;

    if (!w.own)
        return 1;
    folder = qn_text_format(&w.memory, "%s/quern-compare.XXXXXX", place && *place ? place : "/tmp");
    if (qn_text_make_scratch(folder)) {
        w.csv = qn_text_format(&w.memory, "%s/compare.csv", folder);
        w.said = qn_text_format(&w.memory, "%s/said", folder);
        status = sweep(&w);
        if (status == 0 || (status == 1 && access(w.csv, F_OK) == 0)) /* 1: also where a run failed */
            status = tell(&w);
        qn_text_remove_scratch(folder);
    } else {
        qn_text_complain("quern: sim compare: %s: %s", folder, strerror(errno));
    }
    qn_text_free_memory(&w.memory);
    return status;
}
