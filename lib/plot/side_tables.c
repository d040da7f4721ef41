/* lib/plot/side_tables.c - pictures of the tables beside a profile: time, heat (misses by set and time), invariance, mrc and sets.
 *
 * time: counts or rates over the instructions of a run, so that its phases show.
 *
 * In:  interval,start,end,Ir,...,D1m%,LLmr%           of `quern run --interval=N`; perhaps the profile of that run
 * Out: end,D1 misses per 100 references,LL misses ...  a panel for each of --y, one above the other
 */
#define _GNU_SOURCE

#include <string.h>

#include "base/base.h"
#include "exp/rows.h"
#include "plot/input.h"
#include "plot/picture.h"
#include "plot/script.h"
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

/* ---- heat: misses by set and time, as colours ----
 *
 * In:  cache,interval,start,end,set,sets,misses,of_rows   of `quern run --analysis=sets --interval=N`; perhaps the profile of that run
 * Out: start,end,set,sets,misses                          the rows of one cache as they are
 *
 *   plot 'a.csv' using ... with boxxyerror                a box for each row that has misses; the rest stays white
 *
 * The palette has one hue that gets darker, so it can be read without seeing colours, and printed in grey.
 */

#define HEAT_ROWS_MAX 200000 /* an SVG of 20 MB */
#define TICS_MAX 16
#define PALETTE "0 '#D3EAF8', 0.3 '#56B4E9', 0.6 '#0072B2', 1 '#001D33'"

enum { START, END, SET, SETS, MISSES, COLUMNS };

static const char *const columns[COLUMNS] = { "start", "end", "set", "sets", "misses" };

/* ---- the data ---- */

static enum qn_text_status add_heat_row(struct qn_plot_picture *p, const struct qn_plot_input *in, int row, const int *from,
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

static enum qn_text_status add_heat_rows(struct qn_plot_picture *p, const struct qn_plot_input *in, const char *level, struct qn_text_error *err)
{
    int cache = qn_plot_need_column(in, "cache", err), from[COLUMNS];
    double most;

    for (int i = 0; i < COLUMNS && err->status == QN_TEXT_OK; i++)
        from[i] = qn_plot_need_column(in, columns[i], err);
    for (int row = 0; row < in->t.row_count && err->status == QN_TEXT_OK; row++)
        if (!strcmp(qn_text_cell(&in->t, row, cache), level))
            add_heat_row(p, in, row, from, err);
    if (err->status != QN_TEXT_OK)
        return err->status;
    if (p->data.row_count < 1 || p->data.row_count > HEAT_ROWS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: rows of the %s: got %d, wanted 1 to %d: %s", in->path, level, p->data.row_count, HEAT_ROWS_MAX,
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
        && add_heat_rows(p, &in, level, err) == QN_TEXT_OK && add_profile(p, level, err) == QN_TEXT_OK)
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
    fputs(" offset 1.5\nset palette defined (" PALETTE ")\nunset grid\nset tics out\nunset key\nset rmargin 12\n", out); /* numbers of 5 digits, and the label */
    write_axes(p, out, unit, x_unit);
    fputs("\nplot ", out);
    qn_plot_quote(out, data);
    fprintf(out, " using (column(%d) > 0 ? 0 : NaN):(0):", MISSES + 1);
    qn_plot_write_using(out, START + 1, x_unit);
    putc(':', out);
    qn_plot_write_using(out, END + 1, x_unit);
    fprintf(out, ":(column(%d)-0.5):(column(%d)+column(%d)-0.5):", SET + 1, SET + 1, SETS + 1);
    qn_plot_write_using(out, MISSES + 1, unit);
    fputs(" with boxxyerror linecolor palette fillstyle solid border\n", out); /* without borders there are seams between sets */
}

/* ---- invariance: how often instructions compute the same value as before ----
 *
 * In:  ...,what,rank,value,other,count,of,...      PROFILE.findings.csv of `quern run --analysis=values`
 *      ...,rax,1,0x7,,95,100,...                   95% of the values of an instruction executed 100 times
 * Out: share,registers,loads                       of all executions of instructions that write a register, or only load, how many
 *      90,31.2,12.0                                belong to instructions whose most frequent value has at least this share
 *
 * Source: invariance as in B. Calder, P. Feller, A. Eustace, Value profiling, MICRO 1997.
 */

#define STEP 2   /* per cent between two points */
#define LEAST 10 /* executions; with fewer the share means nothing: for a single one it is always 100% */
#define POINTS (100 / STEP + 1)

enum { REGISTERS, LOADS, CURVES };

struct sums {
    double few, all[CURVES], above[CURVES][POINTS];
};

static enum qn_text_status add_row(const struct qn_plot_input *in, int row, const int columns[4], struct sums *s, struct qn_text_error *err)
{
    const char *what = qn_text_cell(&in->t, row, columns[0]);
    int curve = !strcmp(what, "load") ? LOADS : *what == 'r' ? REGISTERS : -1;
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

/* ---- mrc and sets: PROFILE.mattson.csv and PROFILE.sets.csv; perhaps the profile of that run ----
 *
 * Out: size,miss_percent          64,90.0000         knees of the curve are marked
 *      set,misses                 0,4156
 */

static void mark_knees(struct qn_plot_picture *p)
{
    double knees[QN_PLOT_KNEES_MAX];
    int count = qn_plot_find_knees(&p->data, knees);

    for (int i = 0; i < count; i++)
        qn_plot_add_mark(p, knees[i], qn_plot_say_bytes(&p->memory, knees[i]));
}

enum qn_text_status qn_plot_read_mrc(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_text_table curve = { 0 };

    if (qn_plot_refuse_region(path, err) == QN_TEXT_OK && qn_exp_read_curve(&curve, path, err) == QN_TEXT_OK && curve.row_count < 2)
        qn_text_fail(err, QN_TEXT_BAD, "%s: rows: got %d, wanted two at least", path, curve.row_count);
    if (err->status == QN_TEXT_OK) {
        p->title = "Misses by size of a fully associative cache (LRU)";
        p->x_label = "size (KiB)";
        p->x_unit = QN_PLOT_KIB;
        p->log_x = true;
        qn_exp_fill_curve(&p->data, &curve);
        qn_plot_add_panel(p, "", "misses per 100 lines touched");
        qn_plot_add_curve(p, "misses", 1, 0);
        if (p->request->input_count > 1)
            qn_prof_close_reader(qn_plot_open_profile(p, p->request->inputs[1], err));
        qn_plot_add_caption(p, "lines of %.0f B", qn_text_number(&curve, 0, qn_text_find_column(&curve, "size"))
                                                      / qn_text_number(&curve, 0, qn_text_find_column(&curve, "lines")));
        mark_knees(p);
        if (p->mark_count)
            qn_plot_add_caption(p, "dotted: knees of the working set");
    }
    qn_text_free_table(&curve);
    return err->status;
}

enum qn_text_status qn_plot_read_sets(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_text_table sets = { 0 };

    if (qn_plot_refuse_region(path, err) == QN_TEXT_OK && qn_exp_read_sets(&sets, path, err) == QN_TEXT_OK) {
        p->form = QN_PLOT_IMPULSES;
        p->title = "Misses by set of the D1";
        p->x_label = "set";
        qn_exp_fill_sets(&p->data, &sets);
        if (!p->data.row_count)
            qn_text_fail(err, QN_TEXT_BAD, "%s: rows of the D1: got none, wanted one at least", path);
        qn_plot_add_panel(p, "", "D1 misses");
        qn_plot_add_curve(p, "D1 misses", 1, 0);
        if (err->status == QN_TEXT_OK && p->request->input_count > 1)
            qn_prof_close_reader(qn_plot_open_profile(p, p->request->inputs[1], err));
    }
    qn_text_free_table(&sets);
    return err->status;
}

/* ---- knees ---- */

#define DROP 0.1 /* of the height of the curve, since half the size */
#define NEXT 0.5 /* the next step down is less than this part of it */

/* The row of a size; -1: it has none. */
static int find_size(const struct qn_text_table *t, double size)
{
    for (int row = 0; row < t->row_count; row++)
        if (qn_text_number(t, row, 0) == size)
            return row;
    return -1;
}

/* How far the curve falls from half the size to the size; 0 at the ends. */
static double drop_to(const struct qn_text_table *t, double size)
{
    int here = find_size(t, size), half = find_size(t, size / 2);

    return here < 0 || half < 0 ? 0 : qn_text_number(t, half, 1) - qn_text_number(t, here, 1);
}

int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX])
{
    double height = curve->row_count ? qn_text_number(curve, 0, 1) - qn_text_number(curve, curve->row_count - 1, 1) : 0;
    int count = 0;

    for (int row = 1; row < curve->row_count && count < QN_PLOT_KNEES_MAX; row++) {
        double size = qn_text_number(curve, row, 0), drop = drop_to(curve, size);

        if (drop > 0 && drop >= DROP * height && drop_to(curve, 2 * size) < NEXT * drop)
            knees[count++] = size;
    }
    return count;
}
