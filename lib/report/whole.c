/* lib/report/whole.c - see whole.h. */
#include "report/whole.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "plot/words.h"
#include "report/sentences.h"

#define HALF 0.5
#define ENLARGE_MOST 8    /* times the D1's size; larger caches are not proposed */
#define PHASE_LENGTH 0.1  /* of the run */
#define PHASE_LEAST 0.4   /* of the D1 misses, in so short a time */
#define INTERVALS_LEAST 20
#define SETS_LEAST 8      /* with fewer sets, no finding about them */
#define SETS_PART 0.1     /* of all sets */
#define SETS_SHARE 0.5    /* of the misses, in so few */
#define SETS_ALL 0.98     /* of these: fewer sets that have so much are named alone */

static double cell(const struct qn_exp_table *t, int row, const char *column) { return qn_exp_number(t, row, qn_exp_find_column(t, column)); }

static double d1_cost(const struct qn_report_facts *f)
{
    return qn_report_count(&f->lines, -1, "D1mr+D1mw") * qn_report_cost(QN_REPORT_COST_L1) / f->lines.total;
}

static bool has_classes(const struct qn_report_facts *f) { return qn_report_count(&f->lines, -1, "AN.compulsory+AN.capacity+AN.conflict") > 0; }

/* Have most D1 misses this class? */
static bool are_mostly(const struct qn_report_facts *f, const char *class)
{
    return qn_report_count(&f->lines, -1, class) > HALF * qn_report_count(&f->lines, -1, "AN.compulsory+AN.capacity+AN.conflict");
}

void qn_report_find_knees(struct qn_report_facts *f)
{
    const struct qn_exp_table *curve = &f->curve;
    struct qn_exp_table sizes = { 0 };

    qn_exp_add_column(&sizes, "size");
    qn_exp_add_column(&sizes, "misses");
    for (int row = 0; row < f->runs.row_count; row++) {
        char **cells = qn_exp_add_row(&sizes);

        cells[0] = qn_exp_format(&f->memory, "%.0f", cell(&f->runs, row, "D1_size"));
        cells[1] = qn_exp_format(&f->memory, "%g", cell(&f->runs, row, "D1_miss_percent"));
    }
    f->knee_count = qn_plot_find_knees(curve->row_count ? curve : &sizes, f->knees);
    qn_exp_free_table(&sizes);
}

/* The smallest larger D1 that misses half as often. */
bool qn_report_examine_size(struct qn_report_facts *f, struct qn_report_finding *finding)
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
        finding->what = qn_exp_format(&f->memory, "A D1 of %s instead of %s would miss half as often, or less",
                                      qn_plot_say_bytes(&f->memory, size),
                                      qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1]));
        finding->proof =
            qn_exp_format(&f->memory, "It misses in %.2f%% of all references, the larger one in %.2f%%.", now, then);
        finding->advice = are_mostly(f, "AN.conflict") ? SAY_SIZE_CONFLICT : are_mostly(f, "AN.capacity") ? SAY_SIZE_CAPACITY : SAY_SIZE;
        return finding->cost >= QN_REPORT_COST_LEAST;
    }
    return false;
}

static double d1_misses(const struct qn_exp_table *t, int row) { return cell(t, row, "D1mr") + cell(t, row, "D1mw"); }

/* Finds a tenth of the run that has much more than its share of the misses. */
bool qn_report_examine_phases(struct qn_report_facts *f, struct qn_report_finding *finding)
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
    finding->what = qn_exp_format(&f->memory, "A tenth of the run has %.0f%% of the D1 misses", 100 * most / all);
    finding->proof =
        qn_exp_format(&f->memory, "%.0f%% of them fall between %.3g and %.3g million of its %.3g million instructions.",
                      100 * most / all, cell(t, worst, "start") / 1e6, cell(t, worst + length - 1, "end") / 1e6,
                      cell(t, t->row_count - 1, "end") / 1e6);
    finding->advice = SAY_PHASE;
    return finding->cost >= QN_REPORT_COST_LEAST;
}

/* Misses of sets, the largest first; to be freed. */
static double *sort_sets(const struct qn_exp_table *t)
{
    double *misses = QN_NEEDED(calloc((size_t)t->row_count + 1, sizeof *misses));

    for (int row = 0; row < t->row_count; row++)
        misses[row] = cell(t, row, "misses");
    qsort(misses, (size_t)t->row_count, sizeof *misses, qn_report_compare_falling);
    return misses;
}

static double sum(const double *values, int count)
{
    double all = 0;

    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}

bool qn_report_examine_sets(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    int sets = f->sets.row_count, few = (int)(sets * SETS_PART) > 0 ? (int)(sets * SETS_PART) : 1;
    double *misses = sort_sets(&f->sets), all = sum(misses, sets), most = sum(misses, few);
    bool found = sets >= SETS_LEAST && most && most >= SETS_SHARE * all && (!has_classes(f) || are_mostly(f, "AN.conflict"));

    while (few > 1 && sum(misses, few - 1) >= SETS_ALL * most)
        few--;
    most = sum(misses, few);
    free(misses);
    if (!found)
        return false;
    finding->cost = d1_cost(f) * most / all;
    finding->what = few == 1 ? "One set of the D1 has most of its misses" : "A few sets of the D1 have most of its misses";
    finding->proof = qn_exp_format(&f->memory, few == 1 ? "%d of %d sets has %.0f%% of them." : "%d of %d sets have %.0f%% of them.", few, sets,
                                   100 * most / all);
    finding->advice = has_classes(f) ? SAY_SETS : SAY_SETS_UNKNOWN;
    return finding->cost >= QN_REPORT_COST_LEAST;
}
