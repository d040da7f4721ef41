/* lib/plot/time.c - time: counts or rates over the instructions of a run, so that its phases show.
 *
 * In:  interval,start,end,Ir,...,D1m%,LLmr%           of `quern run --interval=N`; perhaps the profile of that run
 * Out: end,D1 misses per 100 references,LL misses ...  a panel for each of --y, one above the other
 */
#define _GNU_SOURCE
#include <string.h>

#include "plot/caption.h"
#include "plot/input.h"
#include "plot/words.h"

#define PANELS_MAX 6
#define ROWS_MAX 20000 /* more than a picture can show */
#define USUAL_Y "D1m%,LLmr%"
#define MILLION 1e6

/* The number of rows that are drawn.  A last interval of less than half the length is left out: its rate would be a meaningless spike. */
static int count_rows(struct qn_plot_picture *p, const struct qn_plot_input *in)
{
    int rows = in->t.row_count, start = qn_text_find_column(&in->t, "start"), end = qn_text_find_column(&in->t, "end");
    double from, to, first, before;

    if (rows < 2 || !qn_text_cell_number(&in->t, rows - 1, start, &from) || !qn_text_cell_number(&in->t, rows - 1, end, &to)
        || !qn_text_cell_number(&in->t, 0, start, &before) || !qn_text_cell_number(&in->t, 0, end, &first)
        || to - from >= (first - before) / 2)
        return rows;
    qn_plot_add_caption(p, "without the last interval, of %.0f", to - from);
    return rows - 1;
}

/* A rate is empty if there were no references; then there is no point. */
static enum qn_text_status add_rows(struct qn_plot_picture *p, const struct qn_plot_input *in, const int *columns,
                                    int count, struct qn_text_error *err)
{
    struct qn_text_memory *m = &p->data.memory;
    int rows = count_rows(p, in);

    for (int row = 0; row < rows; row++) {
        char **cells = qn_text_add_row(&p->data);

        for (int i = 0; i <= count; i++) {
            const char *cell = qn_text_cell(&in->t, row, columns[i]);
            double v;

            if ((*cell || i == 0) && qn_plot_need_number(in, row, columns[i], &v, err) != QN_TEXT_OK)
                return err->status;
            cells[i] = qn_text_copy(m, cell);
        }
    }
    return QN_TEXT_OK;
}

static enum qn_text_status add_panels(struct qn_plot_picture *p, const struct qn_plot_input *in,
                                      struct qn_text_error *err)
{
    char *rest = qn_text_copy(&p->memory, p->request->y ? p->request->y : USUAL_Y), *name;
    int columns[1 + PANELS_MAX], count = 0;

    columns[0] = qn_plot_need_column(in, "end", err);
    if (columns[0] < 0)
        return err->status;
    qn_text_add_column(&p->data, "end");
    while ((name = strsep(&rest, ","))) {
        const char *label = qn_plot_say_column(&p->memory, name);

        if (count == PANELS_MAX)
            return qn_text_fail(err, QN_TEXT_BAD, "--y: got more, wanted at most %d columns", PANELS_MAX);
        columns[++count] = qn_plot_need_column(in, name, err);
        if (columns[count] < 0)
            return err->status;
        qn_plot_add_panel(p, "", label);
        qn_plot_add_curve(p, label, qn_text_add_column(&p->data, label), 0);
    }
    return add_rows(p, in, columns, count, err);
}

static enum qn_text_status make_panels(struct qn_plot_picture *p, const struct qn_plot_input *in,
                                       struct qn_text_error *err)
{
    double first;

    if (in->t.row_count > ROWS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: intervals: got %d, wanted at most %d: a larger --interval", in->path,
                            in->t.row_count, ROWS_MAX);
    if (add_panels(p, in, err) == QN_TEXT_OK && p->request->input_count > 1)
        qn_prof_close_reader(qn_plot_open_profile(p, p->request->inputs[1], err));
    if (err->status != QN_TEXT_OK)
        return err->status;
    p->title = "How the phases of the program differ";
    p->points = false;
    p->x_unit = MILLION;
    p->x_label = "instructions (millions)";
    if (qn_text_cell_number(&in->t, 0, qn_text_find_column(&in->t, "end"), &first))
        qn_plot_add_caption(p, "intervals of %.0f instructions", first);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_read_time(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_plot_input in;

    if (qn_plot_read_input(&in, p->request, p->request->inputs[0], err) == QN_TEXT_OK)
        make_panels(p, &in, err);
    qn_plot_free_input(&in);
    return err->status;
}
