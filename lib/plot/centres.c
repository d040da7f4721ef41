/* lib/plot/centres.c - cost centres of a profile (see centres.h), and the pictures of them: top, compare and cpi. */
#define _GNU_SOURCE
#include "plot/centres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "out/columns.h"
#include "plot/picture.h"
#include "plot/words.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "prof/table/functions.h"
#include "prof/table/table.h"

#define CACHE_EVENT "D1mr+D1mw"
#define PLAIN_EVENT "Ir"
#define NAME_ROOM 40 /* characters of a name beside its bar */
#define NAMED_MAX 100 /* no picture shows more */
#define NO_LINE "no line"
#define WITHOUT_LINE " (" NO_LINE ")"
#define UNKNOWN "???" /* the name in profiles of code without one */

struct gathering {
    struct qn_plot_centres *c;
    struct qn_text_memory *m;
    bool by_line;
    struct qn_prof_table *table;
    struct qn_out_columns columns;
};

static double evaluate(const struct gathering *g, const int64_t *counts)
{
    const struct qn_out_column *column = &g->columns.shown[0];
    double value;

    if (column->event >= 0)
        return (double)qn_prof_count(counts[column->event]);
    return qn_out_eval_expr(column->expr, counts, &value) && isfinite(value) ? value : 0;
}

/* ---- gathering ---- */

static bool is_unknown(const char *name) { return !strcmp(name, UNKNOWN); }

static const char *object_of(const struct qn_prof_row *row) { return is_unknown(row->function) ? row->object : ""; }

static bool continues(const struct gathering *g, const struct qn_prof_row *row)
{
    const struct qn_plot_centre *last = g->c->count ? &g->c->at[g->c->count - 1] : NULL;

    return last && !strcmp(last->file, row->file) && !strcmp(last->function, row->function)
           && !strcmp(last->object, object_of(row)) && (!g->by_line || last->line == row->line);
}

static struct qn_plot_centre *begin_centre(struct gathering *g, const struct qn_prof_row *row)
{
    struct qn_plot_centres *c = g->c;
    int events = c->header->event_count;

    c->at = qn_text_grow(g->m, c->at, (size_t)c->count, sizeof *c->at);
    c->at[c->count] = (struct qn_plot_centre){
        .file = qn_text_copy(g->m, row->file),
        .function = qn_text_copy(g->m, row->function),
        .object = qn_text_copy(g->m, object_of(row)),
        .others = "",
        .line = g->by_line ? row->line : 0,
        .counts = qn_text_alloc(g->m, (size_t)events * sizeof(int64_t)),
    };
    return &c->at[c->count++];
}

static enum qn_text_status gather(struct gathering *g, const char *path, struct qn_text_error *err)
{
    int events = g->c->header->event_count;

    for (size_t i = 0; i < qn_prof_table_rows(g->table); i++) {
        struct qn_prof_row row = qn_prof_table_at(g->table, i);
        struct qn_plot_centre *c;

        if (row.insn)
            continue;
        c = continues(g, &row) ? &g->c->at[g->c->count - 1] : begin_centre(g, &row);
        if (qn_prof_add_counts(c->counts, row.counts, events))
            return qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got a sum beyond 64 bits, wanted less", path, row.function);
    }
    for (int i = 0; i < g->c->count; i++)
        g->c->at[i].value = evaluate(g, g->c->at[i].counts);
    g->c->total = evaluate(g, g->c->totals);
    return QN_TEXT_OK;
}

/* ---- lines ---- */

static int compare_places(const void *a, const void *b)
{
    const struct qn_plot_centre *x = a, *y = b;
    int order = strcmp(x->file, y->file);

    if (order || x->line != y->line)
        return order ? order : x->line < y->line ? -1 : 1;
    if (fabs(x->value) != fabs(y->value))
        return fabs(x->value) > fabs(y->value) ? -1 : 1;
    order = strcmp(x->function, y->function);
    return order ? order : strcmp(x->object, y->object);
}

/* A source line that belongs to several functions, because of templates or inlining, becomes one row, with the function in which it has
 * the largest value. */
static void join_lines(struct gathering *g)
{
    struct qn_plot_centres *c = g->c;
    int count = 0;

    if (c->count)
        qsort(c->at, (size_t)c->count, sizeof *c->at, compare_places);
    for (int i = 0; i < c->count; i++) {
        struct qn_plot_centre *last = count ? &c->at[count - 1] : NULL, *now = &c->at[i];

        if (!last || !now->line || last->line != now->line || strcmp(last->file, now->file)
            || qn_prof_add_counts(last->counts, now->counts, c->header->event_count))
            c->at[count++] = *now;
        else
            last->value = evaluate(g, last->counts), last->others = strcmp(last->function, now->function) ? " and others" : last->others;
    }
    c->count = count;
}

/* ---- order and names ---- */

static int compare_centres(const void *a, const void *b)
{
    const struct qn_plot_centre *x = a, *y = b;
    int order;

    if (fabs(x->value) != fabs(y->value))
        return fabs(x->value) > fabs(y->value) ? -1 : 1;
    order = strcmp(x->file, y->file);
    order = order ? order : strcmp(x->function, y->function);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static bool has_namesake(const struct qn_plot_centres *c, int i)
{
    for (int k = 0; k < c->count; k++)
        if (k != i && !strcmp(c->at[k].function, c->at[i].function) && strcmp(c->at[k].file, c->at[i].file))
            return true;
    return false;
}

/* "table<int>::find(int) const", "no line" -> "table<>::find() (no line)" */
static const char *name_with(struct qn_text_memory *m, const char *function, size_t room, const char *what)
{
    return qn_text_format(m, "%s (%s)", qn_plot_shorten_name(m, function, room), what);
}

const char *qn_plot_shorten_centre(struct qn_text_memory *m, const struct qn_plot_centre *c, size_t room)
{
    size_t n = strlen(c->name), end = strlen(WITHOUT_LINE);

    if (n > room && n > end && !strcmp(c->name + n - end, WITHOUT_LINE))
        return name_with(m, c->function, room - end, NO_LINE);
    return n <= room || c->line ? qn_plot_shorten(m, c->name, room) : qn_plot_shorten_name(m, c->function, room);
}

static void name_centres(struct gathering *g)
{
    for (int i = 0; i < g->c->count; i++) {
        struct qn_plot_centre *c = &g->c->at[i];
        const char *name = c->function;

        if (is_unknown(c->function) && !is_unknown(c->object))
            name = qn_text_format(g->m, "%s (no symbols)", basename(c->object));
        else if (g->by_line && !c->line)
            name = is_unknown(c->function) ? UNKNOWN : name_with(g->m, c->function, NAME_ROOM - strlen(WITHOUT_LINE), NO_LINE);
        else if (is_unknown(c->function))
            name = UNKNOWN;
        else if (g->by_line)
            name = qn_text_format(g->m, "%s:%u", basename(c->file), c->line);
        else if (i < NAMED_MAX && has_namesake(g->c, i))
            name = name_with(g->m, c->function, NAME_ROOM / 2, basename(c->file));
        else
            name = qn_plot_shorten_name(g->m, name, NAME_ROOM);
        c->name = qn_plot_shorten(g->m, name, NAME_ROOM);
    }
}

/* ---- reading ---- */

static const char *choose_event(const struct qn_prof_header *h, const char *event)
{
    if (event)
        return event;
    return qn_prof_find_event(h, "D1mr", 4) >= 0 && qn_prof_find_event(h, "D1mw", 4) >= 0 ? CACHE_EVENT : PLAIN_EVENT;
}

static enum qn_text_status choose_column(struct gathering *g, const char *path, struct qn_text_error *err)
{
    struct qn_text_error why = { .status = QN_TEXT_OK };

    if (qn_out_choose_columns(&g->columns, g->c->header, g->c->event, NULL, &why) != QN_TEXT_OK)
        return qn_text_fail(err, why.status, "%s: --event=%s: got events that the profile has not, wanted some of: %s",
                            path, g->c->event, g->c->header->events_line.text);
    if (g->columns.shown_count != 1)
        return qn_text_fail(err, QN_TEXT_BAD, "--event=%s: got %d, wanted one", g->c->event, g->columns.shown_count);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_open_rows(struct qn_plot_profile *p, const char *path, struct qn_text_error *err)
{
    *p = (struct qn_plot_profile){ .reader = qn_prof_open_reader(path, err) };
    return err->status;
}

enum qn_text_status qn_plot_read_rows(struct qn_plot_profile *p, const struct qn_plot_request *q, const char *path, struct qn_text_error *err)
{
    char warning[QN_TEXT_MAX];

    p->merge = qn_prof_new_merge(q->mod_file, q->mod_fn);
    if (qn_prof_merge_reader(p->merge, p->reader, path, warning, sizeof warning, err) == QN_TEXT_OK)
        qn_prof_table_sort(qn_prof_merge_table(p->merge));
    return err->status;
}

enum qn_text_status qn_plot_sum_functions(struct qn_plot_profile *p, struct qn_text_error *err)
{
    p->functions = qn_prof_sum_functions(qn_prof_merge_table(p->merge), qn_prof_reader_header(p->reader)->event_count, err);
    return err->status;
}

void qn_plot_free_rows(struct qn_plot_profile *p)
{
    qn_prof_free_table(p->functions);
    qn_prof_free_merge(p->merge);
    qn_prof_close_reader(p->reader);
    *p = (struct qn_plot_profile){ NULL, NULL, NULL };
}

static enum qn_text_status take_rows(struct gathering *g, const struct qn_plot_profile *from, const char *path, struct qn_text_error *err)
{
    size_t bytes = (size_t)g->c->header->event_count * sizeof(int64_t);
    struct qn_prof_table *functions = NULL;

    g->table = qn_prof_merge_table(from->merge);
    g->c->totals = memcpy(qn_text_alloc(g->m, bytes), qn_prof_table_totals(g->table), bytes);
    if (!g->by_line && from->functions)
        g->table = from->functions;
    else if (!g->by_line && !(functions = g->table = qn_prof_sum_functions(g->table, g->c->header->event_count, err)))
        return err->status;
    if (gather(g, path, err) == QN_TEXT_OK && g->by_line)
        join_lines(g);
    qn_prof_free_table(functions);
    return err->status;
}

enum qn_text_status qn_plot_read_centres(struct qn_plot_centres *c, struct qn_text_memory *m,
                                         const struct qn_plot_request *q, const char *path, const char *event,
                                         struct qn_text_error *err)
{
    struct gathering g = { .c = c, .m = m, .by_line = q->by && !strcmp(q->by, "line") };
    const struct qn_plot_profile *from = q->profile ? q->profile : &c->own;

    *c = (struct qn_plot_centres){ .by = g.by_line ? "line" : "function" };
    if (!q->profile && qn_plot_open_rows(&c->own, path, err) != QN_TEXT_OK)
        return err->status;
    c->header = qn_prof_reader_header(from->reader);
    c->event = choose_event(c->header, event);
    if (choose_column(&g, path, err) == QN_TEXT_OK && (q->profile || qn_plot_read_rows(&c->own, q, path, err) == QN_TEXT_OK)
        && take_rows(&g, from, path, err) == QN_TEXT_OK) {
        if (c->count)
            qsort(c->at, (size_t)c->count, sizeof *c->at, compare_centres);
        name_centres(&g);
    }
    qn_prof_free_merge(c->own.merge);
    c->own.merge = NULL;
    qn_out_free_columns(&g.columns);
    if (err->status != QN_TEXT_OK)
        qn_plot_free_centres(c);
    return err->status;
}

void qn_plot_free_centres(struct qn_plot_centres *c) { qn_plot_free_rows(&c->own); }

int64_t qn_plot_count_of(const struct qn_plot_centres *c, int i, const char *event)
{
    int e = qn_prof_find_event(c->header, event, strlen(event));

    return e < 0 ? 0 : qn_prof_count(i < 0 ? c->totals[e] : c->at[i].counts[e]);
}

/* ---- top and compare: functions or lines of one profile, or of two side by side, as bars ----
 *
 * Out: function,D1mr+D1mw,end,label                jki,262145,262145,98.9%
 *      function,A,B,end,label                      jki,262145,0,262145,-262 k      label: B - A
 *
 * `end` is where the longest bar of the row ends and the label begins.
 */

#define BARS_USUAL 15
#define PAIRS_USUAL 10
#define SHARE_LEAST 0.0005 /* of the whole, for a bar */

static bool is_ratio(const char *event) { return strchr(event, '%') || strchr(event, '/') || strstr(event, "MPKI") || strstr(event, "CPI") || strstr(event, "AMAT"); }

/* "Functions with the most D1 misses" */
static const char *say_event(struct qn_text_memory *m, const char *event)
{
    const char *equals = strchr(event, '=');

    return equals ? qn_text_copy_part(m, event, (size_t)(equals - event)) : qn_plot_say_column(m, event);
}

static char *format_value(struct qn_text_memory *m, double v)
{
    return v == floor(v) && fabs(v) < 1e15 ? qn_text_format(m, "%.0f", v) : qn_text_format(m, "%.4f", v);
}

static void set_up(struct qn_plot_picture *p, const struct qn_plot_centres *c)
{
    p->form = QN_PLOT_BARS;
    p->x_label = say_event(&p->memory, c->event);
    qn_text_add_column(&p->data, c->by);
    qn_plot_add_panel(p, "", c->by);
}

/* ---- top ---- */

static void add_bar(struct qn_plot_picture *p, const struct qn_plot_centres *c, int i)
{
    struct qn_text_memory *m = &p->data.memory;
    char **cells = qn_text_add_row(&p->data);
    double v = c->at[i].value;

    cells[0] = qn_text_copy(m, c->at[i].name);
    cells[1] = format_value(m, v);
    cells[2] = format_value(m, v > 0 ? v : 0);
    cells[3] = is_ratio(c->event) || c->total == 0 ? qn_plot_say_count(m, v, false)
                                                   : qn_text_format(m, "%.1f%%", v / c->total * 100);
}

enum qn_text_status qn_plot_read_top(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const struct qn_plot_request *q = p->request;
    struct qn_plot_centres c;
    int most = q->most ? q->most : BARS_USUAL;

    if (qn_plot_read_centres(&c, &p->memory, q, q->inputs[0], q->event, err) != QN_TEXT_OK)
        return err->status;
    set_up(p, &c);
    p->title = qn_text_format(&p->memory, "%ss with the most %s", *c.by == 'l' ? "Line" : "Function", p->x_label);
    qn_plot_add_curve(p, p->x_label, qn_text_add_column(&p->data, c.event), 0);
    qn_text_add_column(&p->data, "end");
    qn_text_add_column(&p->data, "label");
    for (int i = 0; i < c.count && i < most; i++)
        if (c.at[i].value != 0 && (is_ratio(c.event) || fabs(c.at[i].value) >= SHARE_LEAST * fabs(c.total)))
            add_bar(p, &c, i);
    qn_plot_caption_profile(p, c.header);
    qn_plot_free_centres(&c);
    if (p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", q->inputs[0], c.event);
    return QN_TEXT_OK;
}

/* ---- compare ---- */

struct pair {
    const char *name;
    double a, b;
};

struct pairs {
    struct pair *at;
    int count;
};

/* Folders are not compared, because the program may have been built in two folders. */
static bool is_same(const struct qn_plot_centre *x, const struct qn_plot_centre *y)
{
    return x->line == y->line && !strcmp(x->function, y->function) && !strcmp(basename(x->file), basename(y->file));
}

static void add_pair(struct pairs *pairs, struct qn_text_memory *m, const char *name, double a, double b)
{
    pairs->at = qn_text_grow(m, pairs->at, (size_t)pairs->count, sizeof *pairs->at);
    pairs->at[pairs->count++] = (struct pair){ name, a, b };
}

static double largest(const struct pair *p) { return fabs(p->a) > fabs(p->b) ? fabs(p->a) : fabs(p->b); }

/* The longest bars first; of equal ones those of A in their order. */
static void sort_pairs(struct pairs *pairs)
{
    for (int i = 1; i < pairs->count; i++) {
        struct pair p = pairs->at[i];
        int k = i;

        for (; k > 0 && largest(&pairs->at[k - 1]) < largest(&p); k--)
            pairs->at[k] = pairs->at[k - 1];
        pairs->at[k] = p;
    }
}

/* Matches the first `most` of each profile: only these can be among the `most` largest pairs. */
static void match(struct pairs *pairs, struct qn_text_memory *m, const struct qn_plot_centres *a,
                  const struct qn_plot_centres *b, int most)
{
    for (int i = 0; i < a->count && i < most; i++) {
        int k = 0;

        while (k < b->count && !is_same(&a->at[i], &b->at[k]))
            k++;
        add_pair(pairs, m, a->at[i].name, a->at[i].value, k < b->count ? b->at[k].value : 0);
    }
    for (int k = 0; k < b->count && k < most; k++) {
        int i = 0;

        while (i < a->count && !is_same(&a->at[i], &b->at[k]))
            i++;
        if (i >= most || i == a->count) /* not added above */
            add_pair(pairs, m, b->at[k].name, i < a->count ? a->at[i].value : 0, b->at[k].value);
    }
    sort_pairs(pairs);
}

static void add_pairs(struct qn_plot_picture *p, const struct pairs *pairs, int most, double least)
{
    struct qn_text_memory *m = &p->data.memory;

    for (int i = 0; i < pairs->count && i < most; i++) {
        const struct pair *pair = &pairs->at[i];
        double end = pair->a > pair->b ? pair->a : pair->b;
        char **cells;

        if (largest(pair) == 0 || largest(pair) < least)
            continue;
        cells = qn_text_add_row(&p->data);
        cells[0] = qn_text_copy(m, pair->name);
        cells[1] = format_value(m, pair->a);
        cells[2] = format_value(m, pair->b);
        cells[3] = format_value(m, end > 0 ? end : 0);
        cells[4] = qn_plot_say_count(m, pair->b - pair->a, true);
    }
}

static void compare(struct qn_plot_picture *p, const struct qn_plot_centres *a, const struct qn_plot_centres *b)
{
    int most = p->request->most ? p->request->most : PAIRS_USUAL;
    double whole = fabs(a->total) > fabs(b->total) ? fabs(a->total) : fabs(b->total);
    struct pairs pairs = { NULL, 0 };

    set_up(p, a);
    p->title = qn_text_format(&p->memory, "%s by %s, A against B", p->x_label, a->by);
    qn_plot_add_curve(p, "A", qn_text_add_column(&p->data, "A"), 0);
    qn_plot_add_curve(p, "B", qn_text_add_column(&p->data, "B"), 1);
    qn_text_add_column(&p->data, "end");
    qn_text_add_column(&p->data, "label");
    match(&pairs, &p->memory, a, b, most);
    add_pairs(p, &pairs, most, is_ratio(a->event) ? 0 : SHARE_LEAST * whole);
    qn_plot_caption_two(p, a->header, b->header);
    qn_plot_add_caption(p, "behind the bars: B - A");
}

enum qn_text_status qn_plot_read_compare(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const struct qn_plot_request *q = p->request;
    struct qn_plot_centres a, b;

    if (qn_plot_read_centres(&a, &p->memory, q, q->inputs[0], q->event, err) != QN_TEXT_OK)
        return err->status;
    if (qn_plot_read_centres(&b, &p->memory, q, q->inputs[1], a.event, err) == QN_TEXT_OK) {
        compare(p, &a, &b);
        qn_plot_free_centres(&b);
    }
    qn_plot_free_centres(&a);
    if (err->status == QN_TEXT_OK && p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", q->inputs[0], a.event);
    return err->status;
}

/* ---- cpi: where the cycles of the most costly functions or lines go, stacked: issue, I1, D1, LL, branches ----
 *
 * In:  a profile, and the timing in force (out/columns.h)
 * Out: function,issue,I1,D1,LL,branches            "jki, 71.2%",1.0000,0.0000,2.3810,0.4762,0.0120
 *
 * The height of a bar is the estimated CPI of the function; its share of all cycles stands behind its name.  Parts without events in the profile
 * are left out.
 */

#define PARTS_USUAL 8
#define PARTS_ROOM 26 /* characters below a bar */
#define PARTS_LEAST 0.005 /* of the cycles, for a bar */

static const struct part {
    const char *column, *name;
} parts[] = {
    { "CPI.issue", "issue" }, { "CPI.I1", "I1 misses" }, { "CPI.D1", "D1 misses" }, { "CPI.LL", "LL misses" },
    { "CPI.branch", "mispredicts" }, { "CPI.L2", "L2 misses" },
};
#define PARTS QN_ARRAY_LEN(parts)

static size_t parts_of(const struct qn_prof_header *h) { return qn_prof_has_L2(h) ? PARTS : PARTS - 1; }

static void set_up_parts(struct qn_plot_picture *p, const char *by, size_t n)
{
    p->form = QN_PLOT_STACKED;
    p->title = "Where the cycles go (estimated)";
    p->x_label = by;
    qn_text_add_column(&p->data, by);
    qn_plot_add_panel(p, "", "cycles per instruction");
    for (size_t i = 0; i < n; i++)
        qn_plot_add_curve(p, parts[i].name, qn_text_add_column(&p->data, parts[i].name), (int)i);
}

static void add_bars(struct qn_plot_picture *p, const struct qn_plot_centres *c, struct qn_out_expr *const exprs[PARTS])
{
    int most = p->request->most ? p->request->most : PARTS_USUAL;

    for (int i = 0; i < c->count && i < most && c->at[i].value > 0 && c->at[i].value >= PARTS_LEAST * c->total; i++) {
        char **cells = qn_text_add_row(&p->data);

        cells[0] = qn_text_format(&p->data.memory, "%s, %.1f%%", qn_plot_shorten_centre(&p->memory, &c->at[i], PARTS_ROOM),
                                 100 * c->at[i].value / c->total);
        for (size_t k = 0; k < parts_of(c->header); k++) {
            double v = 0;

            if (exprs[k])
                qn_out_eval_expr(exprs[k], c->at[i].counts, &v);
            cells[1 + k] = qn_text_format(&p->data.memory, "%.4f", v);
        }
    }
}

static enum qn_text_status parse_parts(const struct qn_plot_centres *c, struct qn_out_expr *exprs[PARTS],
                                       struct qn_text_error *err)
{
    for (size_t i = 0; i < PARTS && err->status == QN_TEXT_OK; i++) {
        char *text = qn_out_write_timing(parts[i].column, c->header);

        exprs[i] = text ? qn_out_parse_expr(text, c->header, err) : NULL;
        free(text);
    }
    return err->status;
}

enum qn_text_status qn_plot_read_cpi(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_out_expr *exprs[PARTS] = { NULL };
    struct qn_plot_centres c;
    char timing[200];

    if (qn_plot_read_centres(&c, &p->memory, p->request, p->request->inputs[0], "cycles", err) != QN_TEXT_OK)
        return err->status;
    set_up_parts(p, c.by, parts_of(c.header));
    if (parse_parts(&c, exprs, err) == QN_TEXT_OK)
        add_bars(p, &c, exprs);
    for (size_t i = 0; i < PARTS; i++)
        qn_out_free_expr(exprs[i]);
    qn_plot_caption_profile(p, c.header);
    qn_out_describe_timing(timing, sizeof timing, c.header);
    qn_plot_add_caption(p, "cycles: %s", timing);
    qn_plot_free_centres(&c);
    if (err->status == QN_TEXT_OK && p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: cycles: got none, wanted one at least", p->request->inputs[0]);
    return err->status;
}
