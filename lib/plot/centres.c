/* lib/plot/centres.c - see centres.h. */
#define _GNU_SOURCE
#include "plot/centres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/columns.h"
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

    qsort(c->at, (size_t)c->count, sizeof *c->at, compare_places);
    for (int i = 0; i < c->count; i++) {
        struct qn_plot_centre *last = count ? &c->at[count - 1] : NULL, *now = &c->at[i];

        if (!last || !now->line || last->line != now->line || strcmp(last->file, now->file)
            || qn_prof_add_counts(last->counts, now->counts, c->header->event_count))
            c->at[count++] = *now;
        else
            last->value = evaluate(g, last->counts);
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
