/* lib/plot/sweep.c - size, ways, line, curve and budget: makes curves of the rows of a sweep.
 *
 * In:  program,sim,D1_size,...,status,...,D1_miss_percent
 *      gzip,lru,1024,...,ok,...,32.2264                      --panel=program (as usual where there are several)
 * Out: D1_size,gzip: lru,gzip: fifo,sort: lru,sort: fifo     a line for each x, a column for each curve
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/picture.h"
#include "plot/centres.h"
#include "plot/input.h"
#include "plot/script.h"
#include "plot/words.h"
#include "prof/kind.h"

#define PANELS_MAX 12
#define CURVES_MAX QN_PLOT_LINE_STYLES /* in a panel */

/* "%s": the level. */
static const struct usual {
    const char *kind, *x, *y, *title;
    const char *level;
} usual[] = {
    { "size", "%s_size", "%s_miss_percent", "How misses fall with the size of the %s", "D1" },
    { "ways", "%s_ways", "%s_miss_percent", "What more ways of the %s are good for", "D1" },
    { "line", "%s_line", "%s_miss_percent", "How long a line of the %s should be", "D1" },
    { "budget", "%s_bits", "%s_mpki", "What the storage of a predictor buys", "BC" },
    { "curve", NULL, NULL, NULL, NULL },
};

struct sweep {
    struct qn_plot_picture *p;
    struct qn_plot_input in;
    struct qn_plot_keys keys;
    const char **panels, **names; /* panels, names of curves: in order of appearance */
    int panel_count, name_count;
    int *panel_of, *name_of;      /* by row */
    double *xs;                   /* distinct values of x; NULL: they are names */
    const char **x_texts;         /* the same as text, in the order of `xs`, of names in that of the rows */
    int x_count;
};

/* ---- columns ---- */

/* "%s_size" and "D1". */
static const char *fill_in(struct qn_text_memory *m, const char *format, const char *level)
{
    const char *gap = strstr(format, "%s");

    return gap ? qn_text_format(m, "%.*s%s%s", (int)(gap - format), format, level, gap + 2) : format;
}

/* The rates of predictors are named after the events: Bc_mpki. */
static const char *event_of(const char *level)
{
    return !strcmp(level, "BC") ? "Bc" : !strcmp(level, "BI") ? "Bi" : level;
}

/* What a column is, without "(bytes)": the axis says "(KiB)". */
static const char *say_column(struct qn_text_memory *m, const char *column)
{
    const char *label = qn_plot_say_column(m, column), *unit = strstr(label, " (bytes)");

    return unit ? qn_text_copy_part(m, label, (size_t)(unit - label)) : label;
}

static enum qn_text_status find_columns(struct sweep *s, struct qn_text_error *err)
{
    const struct qn_plot_request *q = s->p->request;
    struct qn_text_memory *m = &s->p->memory;
    const struct usual *u = usual;
    const char *level, *x = q->x, *y = q->y;

    while (strcmp(u->kind, q->kind))
        u++;
    level = q->level ? q->level : u->level;
    x = x ? x : fill_in(m, u->x, level);
    y = y ? y : fill_in(m, u->y, event_of(level));
    s->keys.x = qn_plot_need_column(&s->in, x, err);
    if (s->keys.x < 0 || (s->keys.y = qn_plot_need_column(&s->in, y, err)) < 0)
        return err->status;
    s->p->title = u->title ? fill_in(m, u->title, level)
                           : qn_text_format(m, "%s by %s", say_column(m, y), say_column(m, x));
    return QN_TEXT_OK;
}

static enum qn_text_status find_panel(struct sweep *s, struct qn_text_error *err)
{
    const char *name = s->p->request->panel;

    s->keys.panel = name && *name ? qn_plot_need_column(&s->in, name, err) : -1;
    if (!name) {
        s->keys.panel = qn_text_find_column(&s->in.t, "program");
        if (s->keys.panel >= 0 && (qn_plot_is_constant(&s->in, s->keys.panel) || s->keys.panel == s->keys.x))
            s->keys.panel = -1;
    }
    return err->status;
}

/* ---- panels and curves ---- */

static int find_or_add(struct qn_text_memory *m, const char ***list, int *count, const char *text)
{
    for (int i = 0; i < *count; i++)
        if (!strcmp((*list)[i], text))
            return i;
    *list = qn_text_grow(m, *list, (size_t)*count, sizeof **list);
    (*list)[*count] = text;
    return (*count)++;
}

static enum qn_text_status collect_names(struct sweep *s, struct qn_text_error *err)
{
    struct qn_text_memory *m = &s->p->memory;
    size_t rows = (size_t)s->in.t.row_count;

    s->panel_of = qn_text_alloc(m, rows * sizeof *s->panel_of);
    s->name_of = qn_text_alloc(m, rows * sizeof *s->name_of);
    for (int row = 0; row < s->in.t.row_count; row++) {
        const char *panel = qn_text_cell(&s->in.t, row, s->keys.panel);

        s->panel_of[row] = find_or_add(m, &s->panels, &s->panel_count, panel);
        s->name_of[row] = find_or_add(m, &s->names, &s->name_count, qn_plot_name_curve(&s->keys, row));
    }
    if (s->panel_count > PANELS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD,
                            "%s: panels: got %d, wanted at most %d: choose with --where, or --panel=", s->in.path,
                            s->panel_count, PANELS_MAX);
    if (s->name_count > CURVES_MAX)
        return qn_text_fail(err, QN_TEXT_BAD,
                            "%s: curves: got %d, wanted at most %d: choose with --where, or --panel=COLUMN", s->in.path,
                            s->name_count, CURVES_MAX);
    return QN_TEXT_OK;
}

/* Does the panel have rows of this curve? */
static bool has_curve(const struct sweep *s, int panel, int name)
{
    for (int row = 0; row < s->in.t.row_count; row++)
        if (s->panel_of[row] == panel && s->name_of[row] == name)
            return true;
    return false;
}

static void add_curves(struct sweep *s)
{
    struct qn_text_memory *m = &s->p->memory;
    const char *y = qn_plot_say_column(m, s->in.t.columns[s->keys.y]);
    const char *panel_name = s->keys.panel < 0 ? "" : s->in.t.columns[s->keys.panel];

    qn_text_add_column(&s->p->data, s->in.t.columns[s->keys.x]);
    for (int i = 0; i < s->panel_count; i++) {
        const char *title = s->panel_count == 1 ? "" : qn_text_copy(m, qn_plot_say_value(m, panel_name, s->panels[i]));

        qn_plot_add_panel(s->p, title, y);
        for (int k = 0; k < s->name_count; k++)
            if (has_curve(s, i, k)) {
                const char *name = *s->names[k] ? s->names[k] : qn_text_copy(m, s->in.t.columns[s->keys.y]);
                const char *full = *title ? qn_text_format(m, "%s: %s", title, name) : name;

                qn_plot_add_curve(s->p, name, qn_text_add_column(&s->p->data, full), k);
            }
    }
}

/* ---- the data ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static bool is_of_names(const struct sweep *s)
{
    double x;

    for (int row = 0; row < s->in.t.row_count; row++)
        if (qn_text_cell_number(&s->in.t, row, s->keys.x, &x))
            return false;
    return s->in.t.row_count > 0;
}

/* Checks that all cells are numbers, or in x all names; collects the distinct values of x. */
static enum qn_text_status collect_x(struct sweep *s, struct qn_text_error *err)
{
    int rows = s->in.t.row_count, n = 0;
    double *xs = qn_text_alloc(&s->p->memory, (size_t)rows * sizeof *xs), y;

    s->p->x_names = is_of_names(s);
    for (int row = 0; row < rows; row++)
        if ((!s->p->x_names && qn_plot_need_number(&s->in, row, s->keys.x, &xs[row], err) != QN_TEXT_OK)
            || qn_plot_need_number(&s->in, row, s->keys.y, &y, err) != QN_TEXT_OK)
            return err->status;
    for (int row = 0; row < rows && s->p->x_names; row++)
        find_or_add(&s->p->memory, &s->x_texts, &s->x_count, qn_text_cell(&s->in.t, row, s->keys.x));
    if (s->p->x_names)
        return QN_TEXT_OK;
    qsort(xs, (size_t)rows, sizeof *xs, compare_numbers);
    for (int i = 0; i < rows; i++)
        if (!n || xs[n - 1] != xs[i])
            xs[n++] = xs[i];
    s->xs = xs;
    s->x_count = n;
    s->x_texts = qn_text_alloc(&s->p->memory, (size_t)n * sizeof *s->x_texts);
    for (int i = 0; i < n; i++)
        s->x_texts[i] = qn_text_format(&s->p->memory, "%.15g", xs[i]);
    return QN_TEXT_OK;
}

/* The index of a row's x. */
static int find_x(struct sweep *s, int row)
{
    double x = s->xs ? qn_text_number(&s->in.t, row, s->keys.x) : 0;
    int at = 0;

    if (!s->xs)
        return find_or_add(&s->p->memory, &s->x_texts, &s->x_count, qn_text_cell(&s->in.t, row, s->keys.x));
    while (s->xs[at] != x)
        at++;
    return at;
}

static void fill_data(struct sweep *s)
{
    struct qn_text_table *data = &s->p->data;

    for (int i = 0; i < s->x_count; i++)
        qn_text_add_row(data)[0] = qn_text_copy(&data->memory, s->x_texts[i]);
    for (int row = 0; row < s->in.t.row_count; row++) {
        const struct qn_plot_panel *panel = &s->p->panels[s->panel_of[row]];
        int at = find_x(s, row);

        for (int c = panel->first; c < panel->first + panel->count; c++)
            if (s->p->curves[c].style == s->name_of[row])
                data->rows[at][s->p->curves[c].column] =
                    qn_text_copy(&data->memory, qn_text_cell(&s->in.t, row, s->keys.y));
    }
}

/* x has a logarithmic scale if its values are powers of two, or if it is a size or a number of bits. */
static void choose_scale(struct sweep *s)
{
    const char *x = s->in.t.columns[s->keys.x];
    size_t n = strlen(x);
    bool powers = s->x_count > 1 && s->xs;

    for (int i = 0; i < s->x_count && s->xs; i++)
        powers &= s->xs[i] >= 1 && s->xs[i] < 1e15 && qn_is_pow2((uint64_t)s->xs[i])
                  && s->xs[i] == (double)(uint64_t)s->xs[i];
    s->p->log_x = powers || (s->xs && n > 5 && (!strcmp(x + n - 5, "_bits") || !strcmp(x + n - 5, "_size")) && s->xs[0] > 0);
    s->p->x_label = s->p->x_names ? "" : qn_plot_say_column(&s->p->memory, x);
    if (n == 7 && !strcmp(x + 2, "_size")) {
        s->p->x_unit = QN_PLOT_KIB;
        s->p->x_label = qn_text_format(&s->p->memory, "size of the %.2s (KiB)", x);
    }
}

static enum qn_text_status make_curves(struct sweep *s, struct qn_text_error *err)
{
    if (find_columns(s, err) != QN_TEXT_OK || find_panel(s, err) != QN_TEXT_OK || collect_x(s, err) != QN_TEXT_OK
        || qn_plot_find_keys(&s->keys, s->p->request->curve, err) != QN_TEXT_OK || collect_names(s, err) != QN_TEXT_OK)
        return err->status;
    add_curves(s);
    fill_data(s);
    choose_scale(s);
    s->p->across = s->panel_count > 1 ? 2 : 1;
    qn_plot_caption_sweep(s->p, &s->keys);
    if (s->in.failed)
        qn_plot_add_remark(s->p, "%s: runs that failed and are left out: %d", s->in.path, s->in.failed);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_read_sweep(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct sweep s = { .p = p };

    s.keys = (struct qn_plot_keys){ .in = &s.in, .memory = &p->memory, .x = -1, .y = -1, .panel = -1 };
    if (qn_plot_read_input(&s.in, p->request, p->request->inputs[0], err) == QN_TEXT_OK)
        make_curves(&s, err);
    qn_plot_free_input(&s.in);
    return err->status;
}

/* ---- threec: compulsory, capacity and conflict misses of the D1, stacked ----
 *
 * In:  a sweep with sim=3c, or a profile of such a run; events AN.compulsory AN.capacity AN.conflict
 * Out: run,compulsory,capacity,conflict        a line for each run, per 1000 instructions
 *      function,compulsory,capacity,conflict   or for each function that has the most of them: misses
 */

#define RUNS_MAX 40
#define FUNCTIONS_USUAL 8
#define NAME_ROOM 26 /* characters of a function below its bar */
#define PER_INSTRUCTIONS 1000

static const char *const classes[] = { "compulsory", "capacity", "conflict" };
#define CLASSES QN_ARRAY_LEN(classes)

static void set_up(struct qn_plot_picture *p, const char *first_column, const char *y_label)
{
    p->form = QN_PLOT_STACKED;
    p->title = "Why the D1 misses";
    qn_text_add_column(&p->data, first_column);
    qn_plot_add_panel(p, "", y_label);
    for (size_t i = 0; i < CLASSES; i++)
        qn_plot_add_curve(p, classes[i], qn_text_add_column(&p->data, classes[i]), (int)i);
}

/* ---- a sweep ---- */

static enum qn_text_status add_run(struct qn_plot_picture *p, const struct qn_plot_input *in, int row, const char *name,
                                   struct qn_text_error *err)
{
    char **cells = qn_text_add_row(&p->data);
    int ir = qn_plot_need_column(in, "Ir", err);
    double instructions, misses;

    if (ir < 0 || qn_plot_need_number(in, row, ir, &instructions, err) != QN_TEXT_OK)
        return err->status;
    cells[0] = qn_text_copy(&p->data.memory, name);
    for (size_t i = 0; i < CLASSES; i++) {
        int column = qn_text_find_column(&in->t, qn_text_format(&p->memory, "AN.%s", classes[i]));

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: column: got no AN.%s, wanted a sweep with sim=3c", in->path,
                                classes[i]);
        if (qn_plot_need_number(in, row, column, &misses, err) != QN_TEXT_OK)
            return err->status;
        cells[1 + i] = qn_text_format(&p->data.memory, "%.4f",
                                     instructions > 0 ? misses / instructions * PER_INSTRUCTIONS : 0);
    }
    return QN_TEXT_OK;
}

/* If runs differ in one column only, that names the axis. */
static void name_axis(struct qn_plot_picture *p, const struct qn_plot_keys *k)
{
    p->x_label = say_column(&p->memory, k->count == 1 ? k->in->t.columns[k->columns[0]] : "");
}

static enum qn_text_status stack_runs(struct qn_plot_picture *p, const struct qn_plot_input *in,
                                      struct qn_text_error *err)
{
    struct qn_plot_keys keys = { .in = in, .memory = &p->memory, .x = -1, .y = -1, .panel = -1 };

    if (in->t.row_count > RUNS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: runs: got %d, wanted at most %d: choose with --where", in->path,
                            in->t.row_count, RUNS_MAX);
    if (qn_plot_find_keys(&keys, p->request->curve, err) != QN_TEXT_OK)
        return err->status;
    set_up(p, "run", "D1 misses per 1000 instructions");
    for (int row = 0; row < in->t.row_count; row++)
        if (add_run(p, in, row, qn_plot_name_curve(&keys, row), err) != QN_TEXT_OK)
            return err->status;
    name_axis(p, &keys);
    qn_plot_caption_sweep(p, &keys);
    return QN_TEXT_OK;
}

/* ---- a profile ---- */

static enum qn_text_status stack_functions(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_plot_centres c;
    const char *path = p->request->inputs[0];
    int most = p->request->most ? p->request->most : FUNCTIONS_USUAL;

    if (qn_plot_read_centres(&c, &p->memory, p->request, path, "AN.compulsory+AN.capacity+AN.conflict", err)
        != QN_TEXT_OK) {
        if (err->status == QN_TEXT_BAD && strstr(err->text, "AN.compulsory"))
            snprintf(err->text, sizeof err->text,
                     "%s: events: got no AN.compulsory, wanted a profile of a run with the "
                     "module 3c",
                     path);
        return err->status;
    }
    set_up(p, "function", "D1 misses");
    for (int i = 0; i < c.count && i < most && c.at[i].value > 0; i++) {
        char **cells = qn_text_add_row(&p->data);

        cells[0] = qn_text_copy(&p->data.memory, qn_plot_shorten_centre(&p->memory, &c.at[i], NAME_ROOM));
        for (size_t k = 0; k < CLASSES; k++)
            cells[1 + k] = qn_text_format(&p->data.memory, "%lld", (long long)qn_plot_count_of(
                &c, i, qn_text_format(&p->memory, "AN.%s", classes[k])));
    }
    p->x_label = !strcmp(c.by, "line") ? "line" : "function";
    qn_plot_caption_profile(p, c.header);
    qn_plot_free_centres(&c);
    if (p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: D1 misses: got none, wanted one at least", path);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_read_threec(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_plot_input in;

    if (qn_prof_is_profile(p->request->inputs[0]))
        return stack_functions(p, err);
    if (qn_plot_read_input(&in, p->request, p->request->inputs[0], err) == QN_TEXT_OK)
        stack_runs(p, &in, err);
    if (in.failed && err->status == QN_TEXT_OK)
        qn_plot_add_remark(p, "%s: runs that failed and are left out: %d", in.path, in.failed);
    qn_plot_free_input(&in);
    return err->status;
}
