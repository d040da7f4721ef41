/* lib/report/findings.c - see findings.h. */
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "out/number.h"
#include "plot/words.h"

#define PLACE_LEAST 0.1   /* of the event, at one place */
#define COST_LEAST 0.02   /* of the run, at that place */
#define CLASS_MOST 0.5    /* of the misses, for a suggestion by class */
#define FORESEEN 0.1      /* mispredicts of a branch: more are hard to foresee */

enum about { DATA, CODE, BRANCH, INDIRECT };

static const struct kind {
    const char *events, *of, *name, *of_name;
    double cost;
    enum about about;
} kinds[] = {
    { "DLmr", "Dr", "LL read misses", "reads", QN_REPORT_COST_LL, DATA },
    { "DLmw", "Dw", "LL write misses", "writes", QN_REPORT_COST_LL, DATA },
    { "D1mr+D1mw", "Dr+Dw", "D1 misses", "references", QN_REPORT_COST_L1, DATA },
    { "ILmr", "Ir", "LL misses of instructions", "instructions", QN_REPORT_COST_LL, CODE },
    { "I1mr", "Ir", "I1 misses", "instructions", QN_REPORT_COST_L1, CODE },
    { "Bcm", "Bc", "mispredicted conditional branches", "branches", QN_REPORT_COST_BRANCH, BRANCH },
    { "Bim", "Bi", "mispredicted indirect branches", "indirect branches", QN_REPORT_COST_BRANCH, INDIRECT },
};

static const char *say(struct qn_report_facts *f, double count)
{
    char text[QN_OUT_COUNT_MAX];

    qn_out_commify(text, (int64_t)count);
    return qn_exp_copy(&f->memory, text);
}

static double percent(double part, double whole) { return whole ? 100 * part / whole : 0; }

/* ---- why a line misses ---- */

struct classes {
    double compulsory, capacity, conflict, all;
};

static struct classes find_classes(const struct qn_report_facts *f, int line)
{
    struct classes c = {
        .compulsory = qn_report_count(&f->lines, line, "AN.compulsory"),
        .capacity = qn_report_count(&f->lines, line, "AN.capacity"),
        .conflict = qn_report_count(&f->lines, line, "AN.conflict"),
    };

    c.all = c.compulsory + c.capacity + c.conflict;
    return c;
}

static const char *say_classes(struct qn_report_facts *f, const struct classes *c)
{
    if (!c->all)
        return "";
    return qn_exp_format(&f->memory,
                         " Of its D1 misses %.0f%% are compulsory, %.0f%% capacity, %.0f%% conflict misses.",
                         percent(c->compulsory, c->all), percent(c->capacity, c->all), percent(c->conflict, c->all));
}

/* The next knee above a cache: how much would be enough. */
static const char *say_knee(struct qn_report_facts *f, double size)
{
    for (int i = 0; i < f->knee_count; i++)
        if (f->knees[i] > size)
            return qn_exp_format(&f->memory, " The curve by size has a knee at %s: so much is used again and again.",
                                 qn_plot_say_bytes(&f->memory, f->knees[i]));
    return "";
}

/* The classes are those of the D1; what the LL misses of lines that were there before, it had no room for. */
static const char *advise_data(struct qn_report_facts *f, const struct classes *c, bool of_ll)
{
    double bytes = f->size[of_ll ? QN_REPORT_LL : QN_REPORT_D1];
    const char *size = qn_plot_say_bytes(&f->memory, bytes);

    if (of_ll && c->all && c->compulsory <= CLASS_MOST * c->all)
        return qn_exp_format(
            &f->memory,
            "These come from memory. The lines were there before, but the LL of %s does not hold all that "
            "is used in between: work in blocks that fit, make elements smaller, or keep those that are needed "
            "often together.%s",
            size, say_knee(f, bytes));
    if (c->conflict > CLASS_MOST * c->all)
        return "A fully associative cache of the same size would have most of these lines. Data that is used together "
               "lies a power "
               "of two apart and falls into the same sets: pad rows or structures by a line, or lay them out anew.";
    if (c->capacity > CLASS_MOST * c->all)
        return qn_exp_format(&f->memory,
                             "The lines were there before, but more than %s were used since. Use them while they are "
                             "there: another loop order, work in blocks that fit, smaller elements.%s",
                             size, say_knee(f, bytes));
    if (c->compulsory > CLASS_MOST * c->all)
        return "The lines are used for the first time, so no cache of any size or kind would have them. Fewer bytes "
               "(smaller types, "
               "only the fields that are needed), longer lines or prefetching help.";
    return c->all ? "No class of misses prevails: first use fewer bytes, then look at order and layout."
                  : "How these misses divide into compulsory, capacity and conflict is not known here.";
}

/* ---- one place ---- */

static const char *name_place(struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    if (!qn_report_has_line(c))
        return qn_exp_format(&f->memory, "%s%s", c->name, strcmp(c->function, "???") ? "" : " (no symbols)");
    return qn_exp_format(&f->memory, "%s, in %s", c->name, c->function);
}

static const char *advise(struct qn_report_facts *f, const struct kind *k, int line)
{
    double rate = qn_report_count(&f->lines, line, k->events) / fmax(1, qn_report_count(&f->lines, line, k->of));
    struct classes classes = find_classes(f, line);

    switch (k->about) {
    case DATA: return advise_data(f, &classes, k->cost == QN_REPORT_COST_LL);
    case CODE:
        return qn_exp_format(
            &f->memory,
            "The code that runs in turn does not fit %s. Less of it (-Os, less inlining and unrolling), or "
            "hot functions side by side (profile-guided optimisation), helps.",
            qn_plot_say_bytes(&f->memory, f->size[k->cost == QN_REPORT_COST_LL ? QN_REPORT_LL : QN_REPORT_I1]));
    case BRANCH:
        return rate > FORESEEN
                   ? "The branch depends on data that has no pattern. Give it one (sort, partition), or do without: a "
                     "conditional move, a table, arithmetic."
                   : "It is foreseen mostly; there are many because it runs so often. Fewer tests (unrolling, testing "
                     "outside "
                     "of the loop) help.";
    default:
        return "The target changes from call to call: group work by target, or test for the most frequent one first.";
    }
}

/* The line that has the most; of equal ones the first, which costs more. */
static int find_most(const struct qn_report_facts *f, const char *events)
{
    double most = 0;
    int found = -1;

    for (int i = 0; i < f->lines.count; i++) {
        double v = qn_report_count(&f->lines, i, events);

        if (v > most) {
            most = v;
            found = i;
        }
    }
    return found;
}

static bool examine(struct qn_report_facts *f, const struct kind *k, struct qn_report_finding *finding)
{
    int line = find_most(f, k->events);
    double all = qn_report_count(&f->lines, -1, k->events), v, of;
    struct classes classes;

    if (line < 0)
        return false;
    v = qn_report_count(&f->lines, line, k->events);
    of = qn_report_count(&f->lines, line, k->of);
    finding->cost = v * k->cost / f->lines.total;
    if (v < PLACE_LEAST * all || finding->cost < COST_LEAST)
        return false;
    classes = find_classes(f, line);
    finding->line = line;
    finding->what = qn_exp_format(&f->memory, "%s: %s %s", name_place(f, &f->lines.at[line]), say(f, v), k->name);
    finding->proof =
        qn_exp_format(&f->memory,
                      "That is %.1f%% of all %s, %.1f%% of the %s %s here, and about %.0f%% of what the run "
                      "costs.%s",
                      percent(v, all), say(f, all), percent(v, of), say(f, of), k->of_name, 100 * finding->cost,
                      k->about == DATA ? say_classes(f, &classes) : "");
    finding->advice = advise(f, k, line);
    if (!qn_report_has_line(&f->lines.at[line]))
        finding->advice =
            qn_exp_format(&f->memory, "%s Which line it is cannot be told: compile with -g.", finding->advice);
    return true;
}

/* ---- the whole run ---- */

#define HALF 0.5
#define ENLARGE_MOST 8    /* times the D1: larger ones are no proposal */
#define PHASE_LENGTH 0.1  /* of the run */
#define PHASE_LEAST 0.4   /* of the D1 misses, in so short a time */
#define INTERVALS_LEAST 20

static double cell(const struct qn_exp_table *t, int row, const char *column)
{
    double v = 0;

    qn_exp_cell_number(t, row, qn_exp_find_column(t, column), &v);
    return v;
}

static double d1_cost(const struct qn_report_facts *f)
{
    return qn_report_count(&f->lines, -1, "D1mr+D1mw") * QN_REPORT_COST_L1 / f->lines.total;
}

static bool mostly_conflicts(const struct qn_report_facts *f)
{
    struct classes c = find_classes(f, -1);

    return c.conflict > CLASS_MOST * c.all;
}

/* The smallest larger D1 that misses half as often. */
static bool examine_size(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    double now = -1;

    for (int row = 0; row < f->runs.row_count; row++)
        if (cell(&f->runs, row, "D1_size") == f->size[QN_REPORT_D1])
            now = cell(&f->runs, row, "D1_miss_percent");
    for (int row = 0; row < f->runs.row_count && now > 0; row++) {
        double size = cell(&f->runs, row, "D1_size"), then = cell(&f->runs, row, "D1_miss_percent");

        if (size <= f->size[QN_REPORT_D1] || size > ENLARGE_MOST * f->size[QN_REPORT_D1] || then > HALF * now
            || strcmp(qn_exp_cell(&f->runs, row, qn_exp_find_column(&f->runs, "status")), "ok"))
            continue;
        finding->cost = d1_cost(f) * (now - then) / now;
        finding->line = -1;
        finding->what = qn_exp_format(&f->memory, "A D1 of %s instead of %s would miss half as often, or less",
                                      qn_plot_say_bytes(&f->memory, size),
                                      qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1]));
        finding->proof =
            qn_exp_format(&f->memory, "It misses in %.2f%% of all references, the larger one in %.2f%%.", now, then);
        finding->advice = mostly_conflicts(f)
                              ? "Most of the misses are conflicts: what the larger cache has is more sets. More ways, or "
                                "another layout of the data, do the same."
                              : "What the program works on at a time is just too large: if it can be made smaller (blocks, "
                                "smaller elements), it fits the cache that there is.";
        return finding->cost >= COST_LEAST;
    }
    return false;
}

static double d1_misses(const struct qn_exp_table *t, int row) { return cell(t, row, "D1mr") + cell(t, row, "D1mw"); }

/* A tenth of the run that has much more than its share. */
static bool examine_phases(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    const struct qn_exp_table *t = &f->intervals;
    int length = (int)(t->row_count * PHASE_LENGTH), worst = 0;
    double all = 0, most = 0;

    if (t->row_count < INTERVALS_LEAST)
        return false;
    for (int row = 0; row < t->row_count; row++) {
        double sum = 0;

        all += d1_misses(t, row);
        for (int i = row; i < row + length && row + length <= t->row_count; i++)
            sum += d1_misses(t, i);
        if (sum > most) {
            most = sum;
            worst = row;
        }
    }
    if (!all || most < PHASE_LEAST * all)
        return false;
    finding->cost = d1_cost(f) * most / all;
    finding->line = -1;
    finding->what = "A short part of the run has most of the D1 misses";
    finding->proof =
        qn_exp_format(&f->memory, "%.0f%% of them fall between %.3g and %.3g million of its %.3g million instructions.",
                      percent(most, all), cell(t, worst, "start") / 1e6, cell(t, worst + length - 1, "end") / 1e6,
                      cell(t, t->row_count - 1, "end") / 1e6);
    finding->advice =
        "Look at what the program does then; the rest behaves differently. Regions (quern.h) count it by itself.";
    return finding->cost >= COST_LEAST;
}

/* ---- all ---- */

/* Places come before what is about the whole run. */
static int compare_findings(const void *a, const void *b)
{
    const struct qn_report_finding *x = a, *y = b;

    if ((x->line < 0) != (y->line < 0))
        return x->line < 0 ? 1 : -1;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return strcmp(x->what, y->what);
}

int qn_report_find(struct qn_report_facts *f, struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX])
{
    int count = 0;

    for (size_t i = 0; i < QN_ARRAY_LEN(kinds); i++)
        count += examine(f, &kinds[i], &findings[count]);
    count += examine_size(f, &findings[count]);
    count += examine_phases(f, &findings[count]);
    qsort(findings, (size_t)count, sizeof *findings, compare_findings);
    return count;
}
_Static_assert(QN_ARRAY_LEN(kinds) + 2 <= QN_REPORT_FINDINGS_MAX, "room for all");
