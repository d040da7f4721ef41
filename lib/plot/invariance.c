/* lib/plot/invariance.c - invariance: how often instructions compute the same value as before.
 *
 * In:  ...,what,rank,value,other,count,of,...      PROFILE.findings.csv of `quern run --analysis=values`
 *      ...,rax,1,0x7,,95,100,...                   95% of the values of an instruction executed 100 times
 * Out: share,registers,loads                       of all executions of instructions that write a register, or only load, how many
 *      90,31.2,12.0                                belong to instructions whose most frequent value has at least this share
 *
 * Source: invariance as in B. Calder, P. Feller, A. Eustace, Value profiling, MICRO 1997.
 */
#include <string.h>

#include "base/base.h"
#include "plot/caption.h"
#include "plot/input.h"

#define STEP 2   /* per cent between two points */
#define LEAST 10 /* executions; with fewer the share means nothing: for a single one it is always 100% */
#define POINTS (100 / STEP + 1)

enum { REGISTERS, LOADS, CURVES };

struct sums {
    double few, all[CURVES], above[CURVES][POINTS];
};

/* The curve of a finding; -1: none. */
static int curve_of(const char *what)
{
    if (!strcmp(what, "load"))
        return LOADS;
    return what[0] == 'r' ? REGISTERS : -1;
}

static enum qn_text_status add_row(const struct qn_plot_input *in, int row, const int columns[4], struct sums *s, struct qn_text_error *err)
{
    int curve = curve_of(qn_text_cell(&in->t, row, columns[0]));
    double rank, count, of;

    if (qn_plot_need_number(in, row, columns[1], &rank, err) != QN_TEXT_OK || qn_plot_need_number(in, row, columns[2], &count, err) != QN_TEXT_OK
        || qn_plot_need_number(in, row, columns[3], &of, err) != QN_TEXT_OK)
        return err->status;
    if (curve < 0 || rank != 1 || of <= 0)
        return QN_TEXT_OK;
    s->few += of < LEAST ? of : 0;
    if (of < LEAST)
        return QN_TEXT_OK;
    s->all[curve] += of;
    for (int i = 0; i < POINTS; i++)
        if (100 * count >= STEP * i * of)
            s->above[curve][i] += of;
    return QN_TEXT_OK;
}

static enum qn_text_status add_up(const struct qn_plot_input *in, struct sums *s, struct qn_text_error *err)
{
    static const char *const names[] = { "what", "rank", "count", "of" };
    int columns[QN_ARRAY_LEN(names)];

    for (size_t i = 0; i < QN_ARRAY_LEN(names); i++)
        if ((columns[i] = qn_plot_need_column(in, names[i], err)) < 0)
            return err->status;
    for (int row = 0; row < in->t.row_count; row++)
        if (add_row(in, row, columns, s, err) != QN_TEXT_OK)
            return err->status;
    if (s->all[REGISTERS] + s->all[LOADS] <= 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: no values; wanted the findings of `quern run --analysis=values`", in->path);
    return QN_TEXT_OK;
}

static void make_curves(struct qn_plot_picture *p, const struct sums *s)
{
    static const char *const names[CURVES] = { "registers", "loads" };

    qn_text_add_column(&p->data, "share");
    qn_plot_add_panel(p, "", "executions with at least this share (%)");
    for (int c = 0; c < CURVES; c++)
        if (s->all[c] > 0)
            qn_plot_add_curve(p, names[c], qn_text_add_column(&p->data, names[c]), c);
    for (int i = 0; i < POINTS; i++) {
        char **cells = qn_text_add_row(&p->data);
        int column = 1;

        cells[0] = qn_text_format(&p->data.memory, "%d", i * STEP);
        for (int c = 0; c < CURVES; c++)
            if (s->all[c] > 0)
                cells[column++] = qn_text_format(&p->data.memory, "%.2f", 100 * s->above[c][i] / s->all[c]);
    }
    p->title = "How much of what the program computes is the same again and again";
    p->x_label = "share of an instruction's most frequent value (%)";
    p->points = false;
    qn_plot_add_caption(p, "%.0f values of registers, %.0f of loads", s->all[REGISTERS], s->all[LOADS]);
    if (s->few > 0)
        qn_plot_add_caption(p, "without %.0f of instructions that were observed less than %d times", s->few, LEAST);
}

enum qn_text_status qn_plot_read_invariance(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct sums s = { 0, { 0 }, { { 0 } } };
    struct qn_plot_input in;

    if (qn_plot_read_input(&in, p->request, p->request->inputs[0], err) == QN_TEXT_OK && add_up(&in, &s, err) == QN_TEXT_OK)
        make_curves(p, &s);
    qn_plot_free_input(&in);
    return err->status;
}
