/* lib/report/findings.c - see findings.h. */
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "out/number.h"
#include "plot/words.h"
#include "report/whole.h"

#define PLACE_LEAST 0.1   /* share of the event at one place */
#define COST_LEAST QN_REPORT_COST_LEAST /* share of the run's cost at that place */
#define SPREAD_LEAST 0.1  /* share of the run's cost, for an event that is spread over many places */
#define FUNCTIONS_NAMED 3
#define CLASS_MOST 0.5    /* of the misses, for a suggestion by class */
#define FORESEEN 0.1      /* mispredicts per execution; a branch with more is hard to predict */

enum about { DATA, CODE, BRANCH, INDIRECT };

static const struct kind {
    const char *events, *of, *name, *of_name;
    size_t cost; /* qn_report_cost of it */
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

/* The next knee above the cache's size, which would be large enough. */
static const char *say_knee(struct qn_report_facts *f, double size)
{
    for (int i = 0; i < f->knee_count; i++)
        if (f->knees[i] > size)
            return qn_exp_format(&f->memory, " The curve by size has a knee at %s: so much is used again and again.",
                                 qn_plot_say_bytes(&f->memory, f->knees[i]));
    return "";
}

/* Advice by class.  The classes are those of the D1; for the LL, misses that are not compulsory count as capacity misses. */
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
               "lies a power of two apart and falls into the same sets: pad rows or structures by a line, or lay them "
               "out anew.";
    if (c->capacity > CLASS_MOST * c->all)
        return qn_exp_format(&f->memory,
                             "The lines were there before, but more than %s were used since. Use them while they are "
                             "there: another loop order, work in blocks that fit, smaller elements.%s",
                             size, say_knee(f, bytes));
    if (c->compulsory > CLASS_MOST * c->all)
        return "The lines are used for the first time, so no cache of any size or kind would have them. Fewer bytes "
               "(smaller types, only the fields that are needed), longer lines or prefetching help.";
    return c->all ? "No class of misses prevails: first use fewer bytes, then look at order and layout."
                  : "How these misses divide into compulsory, capacity and conflict is not known here.";
}

/* ---- one place ---- */

static const char *name_place(struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    if (!qn_report_has_line(c))
        return qn_exp_format(&f->memory, "%s%s", c->name, strcmp(c->function, "???") ? "" : " (no symbols)");
    return qn_exp_format(&f->memory, "%s, in %s", c->name, qn_plot_shorten_name(&f->memory, c->function, QN_REPORT_NAME_ROOM));
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
                     "outside of the loop) help.";
    default:
        return "The target changes from call to call: group work by target, or test for the most frequent one first.";
    }
}

/* The line with the most of an event; of equal ones the first, which costs more. */
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
    finding->cost = v * qn_report_cost(k->cost) / f->lines.total;
    if (v < PLACE_LEAST * all || finding->cost < COST_LEAST)
        return false;
    classes = find_classes(f, line);
    finding->line = line;
    finding->what = qn_exp_format(&f->memory, "%s: %s %s", name_place(f, &f->lines.at[line]), say(f, v), k->name);
    finding->proof =
        qn_exp_format(&f->memory,
                      "That is %.1f%% of all %s, %.1f%% of the %s %s here. They are about %.0f%% of the estimated cycles of the run; "
                      "all that the line does is %.0f%%.%s",
                      percent(v, all), say(f, all), percent(v, of), say(f, of), k->of_name, 100 * finding->cost,
                      percent(f->lines.at[line].value, f->lines.total),
                      k->about == DATA ? say_classes(f, &classes) : "");
    finding->advice = advise(f, k, line);
    if (!qn_report_has_line(&f->lines.at[line]))
        finding->advice =
            qn_exp_format(&f->memory, "%s Which line it is cannot be told: compile with -g.", finding->advice);
    return true;
}

/* ---- many places ---- */

/* The function with the most of an event, except `count` others; -1: there is none. */
static int find_next(const struct qn_report_facts *f, const char *events, const int *others, int count)
{
    double most = 0;
    int found = -1;

    for (int i = 0; i < f->functions.count; i++) {
        double v = qn_report_count(&f->functions, i, events);
        bool named = false;

        for (int k = 0; k < count; k++)
            named |= others[k] == i;
        if (v > most && !named) {
            most = v;
            found = i;
        }
    }
    return found;
}

/* For an event that no single place has a large share of: "f (3.1%), g (2.9%), h (2.0%)". */
static const char *name_functions(struct qn_report_facts *f, const char *events, double all)
{
    int named[FUNCTIONS_NAMED];
    const char *text = "";

    for (int n = 0; n < FUNCTIONS_NAMED; n++) {
        named[n] = find_next(f, events, named, n);
        if (named[n] < 0)
            break;
        text = qn_exp_format(&f->memory, "%s%s%s (%.1f%%)", text, n ? ", " : "", f->functions.at[named[n]].name,
                             percent(qn_report_count(&f->functions, named[n], events), all));
    }
    return text;
}

static bool examine_spread(struct qn_report_facts *f, const struct kind *k, struct qn_report_finding *finding)
{
    double all = qn_report_count(&f->lines, -1, k->events), of = qn_report_count(&f->lines, -1, k->of);

    finding->cost = all * qn_report_cost(k->cost) / f->lines.total;
    if (finding->cost < SPREAD_LEAST)
        return false;
    finding->line = -1;
    finding->what = qn_exp_format(&f->memory, "%s %s, in many places", say(f, all), k->name);
    finding->proof =
        qn_exp_format(&f->memory,
                      "They are %.2f%% of all %s, and about %.0f%% of the estimated cycles of the run, but no line has a "
                      "tenth of them. The functions with the most: %s.",
                      percent(all, of), k->of_name, 100 * finding->cost, name_functions(f, k->events, all));
    finding->advice = advise(f, k, -1);
    return true;
}

/* ---- all ---- */

/* Findings about places come before those about the whole run. */
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
        count += examine(f, &kinds[i], &findings[count]) || examine_spread(f, &kinds[i], &findings[count]);
    count += qn_report_examine_sets(f, &findings[count]);
    count += qn_report_examine_size(f, &findings[count]);
    count += qn_report_examine_phases(f, &findings[count]);
    qsort(findings, (size_t)count, sizeof *findings, compare_findings);
    return count;
}
_Static_assert(QN_ARRAY_LEN(kinds) + 3 <= QN_REPORT_FINDINGS_MAX, "room for all");
