/* lib/plot/heat.c - heat: misses by set and time, as colours.
 *
 * In:  cache,interval,start,end,set,sets,misses,of_rows   of `quern run --analysis=sets --interval=N`; perhaps the profile of that run
 * Out: start,end,set,sets,misses                          the rows of one cache as they are
 *
 *   plot 'a.csv' using ... with boxxyerror                a box for each row that has misses; the rest stays white
 *
 * The palette has one hue that gets darker, so it can be read without seeing colours, and printed in grey.
 */
#include <string.h>

#include "plot/caption.h"
#include "plot/input.h"
#include "plot/script.h"

#define ROWS_MAX 200000 /* an SVG of 20 MB */
#define TICS_MAX 16
#define PALETTE "0 '#D3EAF8', 0.3 '#56B4E9', 0.6 '#0072B2', 1 '#001D33'"

enum { START, END, SET, SETS, MISSES, COLUMNS };

static const char *const columns[COLUMNS] = { "start", "end", "set", "sets", "misses" };

/* ---- the data ---- */

static enum qn_text_status add_row(struct qn_plot_picture *p, const struct qn_plot_input *in, int row, const int *from,
                                   struct qn_text_error *err)
{
    char **cells = qn_text_add_row(&p->data);
    double v[COLUMNS];

    for (int i = 0; i < COLUMNS; i++) {
        if (qn_plot_need_number(in, row, from[i], &v[i], err) != QN_TEXT_OK)
            return err->status;
        cells[i] = qn_text_copy(&p->data.memory, qn_text_cell(&in->t, row, from[i]));
    }
    if (v[START] < 0 || v[END] < v[START])
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: interval: got %s to %s, wanted one that ends behind its start", in->path, in->lines[row],
                            cells[START], cells[END]);
    if (v[SET] < 0 || v[SETS] < 1 || v[MISSES] < 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: set, sets, misses: got %s, %s, %s, wanted at least 0, 1, 0", in->path, in->lines[row],
                            cells[SET], cells[SETS], cells[MISSES]);
    p->y_end = v[SET] + v[SETS] > p->y_end ? v[SET] + v[SETS] : p->y_end;
    return QN_TEXT_OK;
}

static enum qn_text_status add_rows(struct qn_plot_picture *p, const struct qn_plot_input *in, const char *level, struct qn_text_error *err)
{
    int cache = qn_plot_need_column(in, "cache", err), from[COLUMNS];
    double most;

    for (int i = 0; i < COLUMNS && err->status == QN_TEXT_OK; i++)
        from[i] = qn_plot_need_column(in, columns[i], err);
    for (int row = 0; row < in->t.row_count && err->status == QN_TEXT_OK; row++)
        if (!strcmp(qn_text_cell(&in->t, row, cache), level))
            add_row(p, in, row, from, err);
    if (err->status != QN_TEXT_OK)
        return err->status;
    if (p->data.row_count < 1 || p->data.row_count > ROWS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: rows of the %s: got %d, wanted 1 to %d: %s", in->path, level, p->data.row_count, ROWS_MAX,
                            p->data.row_count ? "a larger --interval" : "--level=D1 or LL");
    if (qn_plot_find_range(p, MISSES, &most, &most) && most == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: misses of the %s: got none, wanted one at least", in->path, level);
    return QN_TEXT_OK;
}

/* The profile also says how many sets there are: the last ones may have no misses. */
static enum qn_text_status add_profile(struct qn_plot_picture *p, const char *level, struct qn_text_error *err)
{
    struct qn_prof_reader *r;
    double sets;

    if (p->request->input_count < 2)
        return QN_TEXT_OK;
    r = qn_plot_open_profile(p, p->request->inputs[1], err);
    if (!r)
        return err->status;
    sets = qn_plot_count_sets(qn_prof_reader_header(r), level);
    if (sets && sets < p->y_end)
        qn_text_fail(err, QN_TEXT_BAD, "%s: sets of the %s: got %.0f, wanted %.0f at least: is it of another run?", p->request->inputs[1], level,
                     sets, p->y_end);
    p->y_end = sets ? sets : p->y_end;
    qn_prof_close_reader(r);
    return err->status;
}

static void caption_rows(struct qn_plot_picture *p)
{
    double together = qn_text_number(&p->data, 0, SETS);

    qn_plot_add_caption(p, "intervals of %.0f instructions", qn_text_number(&p->data, 0, END) - qn_text_number(&p->data, 0, START));
    if (together > 1)
        qn_plot_add_caption(p, "%.0f sets together", together);
    qn_plot_add_caption(p, "white: no misses");
}

enum qn_text_status qn_plot_read_heat(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *level = p->request->level ? p->request->level : "D1";
    struct qn_plot_input in;

    p->form = QN_PLOT_HEAT;
    p->title = qn_text_format(&p->memory, "Misses of the %s by set and time", level);
    p->x_label = "instructions";
    for (int i = 0; i < COLUMNS; i++)
        qn_text_add_column(&p->data, columns[i]);
    qn_plot_add_panel(p, "", qn_text_format(&p->memory, "set of the %s", level));
    qn_plot_add_curve(p, strcmp(level, "D1") ? "LL misses of data" : "D1 misses", MISSES, 0);
    qn_plot_add_curve(p, "instructions", END, 1);
    if (qn_plot_read_input(&in, p->request, p->request->inputs[0], err) == QN_TEXT_OK
        && add_rows(p, &in, level, err) == QN_TEXT_OK && add_profile(p, level, err) == QN_TEXT_OK)
        caption_rows(p);
    qn_plot_free_input(&in);
    return err->status;
}

/* ---- the script ---- */

static void write_axes(const struct qn_plot_picture *p, FILE *out, double unit, double x_unit)
{
    double first = 0, last = 0, least = 0, most = 0, step = 1;

    qn_plot_find_range(p, START, &first, &last);
    qn_plot_find_range(p, END, &least, &last);
    qn_plot_find_range(p, MISSES, &least, &most);
    while (p->y_end / step > TICS_MAX)
        step *= 2;
    fprintf(out, "set xrange [%.10g:%.10g]\nset yrange [-0.5:%.10g]\nset ytics 0,%.10g\nset cbrange [0:%.10g]\n", first / x_unit, last / x_unit,
            p->y_end - 0.5, step, most / unit);
}

void qn_plot_write_heat(const struct qn_plot_picture *p, FILE *out, const char *data)
{
    double unit = qn_plot_choose_unit(p, 0, 1), x_unit = qn_plot_choose_unit(p, 1, 1);

    qn_plot_write_frame(p, out, 0);
    fputs("set ylabel ", out);
    qn_plot_quote(out, p->panels[0].y_label);
    fputs("\nset cblabel ", out); /* with an offset, so that it does not touch the numbers */
    qn_plot_quote_unit(out, p->curves[0].name, unit);
    fputs(" offset 1.5\nset palette defined (" PALETTE ")\nunset grid\nset tics out\nunset key\n", out);
    write_axes(p, out, unit, x_unit);
    fputs("\nplot ", out);
    qn_plot_quote(out, data);
    fprintf(out, " using (column(%d) > 0 ? 0 : NaN):(0):", MISSES + 1);
    qn_plot_write_using(out, START + 1, x_unit);
    putc(':', out);
    qn_plot_write_using(out, END + 1, x_unit);
    fprintf(out, ":(column(%d)-0.5):(column(%d)+column(%d)-0.5):", SET + 1, SET + 1, SETS + 1);
    qn_plot_write_using(out, MISSES + 1, unit);
    fputs(" with boxxyerror fillcolor palette fillstyle solid noborder\n", out);
}
