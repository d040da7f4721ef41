/*
 * Functions with inclusive costs, their callers and callees: annotate --by=calls.
 *
 * In:  the tables of calls behind a profile's summary (prof/tables/calls.h)
 * Out:     Ir________  called function
 *          900 (100.0%)     1 /src/demo.c:main
 *          600 (66.7%)      3 /src/demo.c:f
 *
 *          Callers and callees:
 *          < 600 (66.7%)    3 /src/demo.c:main, line 17
 *          * 600 (66.7%)    3 /src/demo.c:f
 *          > 100 (11.1%)    6 /src/demo.c:g, line 4
 *
 * Rules: inclusive costs, sorted by the columns of --sort, largest first. Functions below the threshold are left out, and so are calls, of which
 * there is a number then. Several profiles are added up, --diff subtracts.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/modern/modern.h"
#include "out/sink.h"
#include "prof/tables/tables.h"

/* A line of the report: a function, or a call of it or by it. */
struct line {
    uint32_t fn;                          /* whose name it has */
    const struct qn_prof_call_edge *edge; /* NULL: the function itself */
    int64_t calls;
    const int64_t *counts;                /* one for each event of the profile */
};

struct view {
    struct qn_out_modern *m;
    struct qn_prof_tables sum;
    int64_t *inclusive, *edges; /* counts by function and by edge, with the profile's events */
    uint32_t *callers, *callees; /* edges by callee, by caller */
    size_t *first_caller, *first_callee; /* by function; one more than there are */
    struct line *fns, *lines;
    size_t fn_count;
    struct qn_out_table table;
    int calls_width;
    double least; /* of the primary sort event */
};

/* ---- counts and order ---- */

/* Edges by one of their ends: first[f] to first[f + 1] are those of f. */
static void index_edges(const struct qn_prof_calls *c, int by_caller, uint32_t **edges, size_t **first)
{
    *edges = QN_NEEDED(calloc(c->edge_count + 1, sizeof **edges));
    *first = QN_NEEDED(calloc(c->fn_count + 2, sizeof **first));
    for (size_t i = 0; i < c->edge_count; i++)
        (*first)[(by_caller ? c->edges[i].caller : c->edges[i].callee) + 2]++;
    for (size_t f = 2; f < c->fn_count + 2; f++)
        (*first)[f] += (*first)[f - 1];
    for (size_t i = 0; i < c->edge_count; i++) /* what was the place of f before becomes that of f + 1 */
        (*edges)[(*first)[(by_caller ? c->edges[i].caller : c->edges[i].callee) + 1]++] = (uint32_t)i;
}

static int compare_places(const struct view *v, const struct line *a, const struct line *b)
{
    const struct qn_prof_call_fn *f = &v->sum.calls.fns[a->fn], *g = &v->sum.calls.fns[b->fn];
    int order = strcmp(f->name, g->name);
    order = order ? order : strcmp(f->file, g->file);
    if (order || !a->edge)
        return order ? order : a->fn < b->fn ? -1 : a->fn > b->fn;
    return a->edge->line != b->edge->line ? (a->edge->line < b->edge->line ? -1 : 1) : a->edge < b->edge ? -1 : a->edge > b->edge;
}

static int by_cost(const void *left, const void *right, void *view)
{
    const struct view *v = view;
    const struct line *a = left, *b = right;
    int order = qn_out_compare_counts(&v->m->columns, a->counts, b->counts);
    return order ? order : compare_places(v, a, b);
}

static int is_shown(const struct view *v, const int64_t *counts)
{
    return qn_out_key_weight(&v->m->columns.sort[0], counts) >= v->least;
}

static void collect_fns(struct view *v)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    for (uint32_t i = 0; i < c->fn_count; i++) {
        const int64_t *counts = v->inclusive + i * (size_t)v->m->events;
        if (is_shown(v, counts))
            v->fns[v->fn_count++] = (struct line){i, NULL, c->fns[i].called, counts};
    }
    if (v->fn_count)
        qsort_r(v->fns, v->fn_count, sizeof *v->fns, by_cost, v);
}

/* The calls of a function, or by it, above the threshold, into v->lines; how many there are. */
static size_t collect_edges(struct view *v, const uint32_t *edges, size_t first, size_t end, int callers)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        const struct qn_prof_call_edge *e = &c->edges[edges[i]];
        const int64_t *counts = v->edges + edges[i] * (size_t)v->m->events;
        if (is_shown(v, counts))
            v->lines[n++] = (struct line){callers ? e->caller : e->callee, e, e->calls, counts};
    }
    if (n)
        qsort_r(v->lines, n, sizeof *v->lines, by_cost, v);
    return n;
}

/* ---- text ---- */

/* On a terminal the function comes first: what follows may be cut. */
static void put_place(const struct view *v, const struct line *l)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    struct qn_out_sink *s = v->m->sink;
    const char *file;
    char room[QN_TEXT_MAX];
    const char *name = qn_prof_call_name(&c->fns[l->fn], room, sizeof room);
    qn_out_name(s, s->width ? name : c->fns[l->fn].file);
    qn_out_putc(s, ':');
    qn_out_name(s, s->width ? c->fns[l->fn].file : name);
    if (!l->edge || !l->edge->line)
        return;
    file = l->edge->file;
    if (strcmp(file, c->fns[l->edge->caller].file) == 0) {
        qn_out_printf(s, ", line %" PRIu32, l->edge->line);
        return;
    }
    qn_out_puts(s, ", ");
    qn_out_name(s, file);
    qn_out_printf(s, ":%" PRIu32, l->edge->line);
}

static void put_line(const struct view *v, const char *mark, const struct line *l)
{
    char number[QN_OUT_COUNT_MAX];
    int n = qn_out_commify(number, l->calls);
    qn_out_puts(v->m->sink, mark);
    qn_out_put_row(v->m->sink, &v->table, QN_OUT_PLAIN, l->counts, NULL);
    qn_out_pad(v->m->sink, ' ', v->calls_width - n);
    qn_out_puts(v->m->sink, number);
    qn_out_putc(v->m->sink, ' ');
    put_place(v, l);
    qn_out_putc(v->m->sink, '\n');
}

static void put_heading(const struct view *v, const char *title, const char *before, const char *calls)
{
    struct qn_out_sink *s = v->m->sink;
    qn_out_put_title(s, title, "");
    qn_out_puts(s, before);
    qn_out_put_heading(s, &v->table);
    qn_out_pad(s, ' ', v->calls_width - (int)strlen(calls));
    qn_out_printf(s, "%s %s\n\n", calls, s->width ? "function:file" : "file:function");
}

static void put_edges(struct view *v, uint32_t fn, int callers)
{
    const size_t *first = callers ? v->first_caller : v->first_callee;
    const char *mark = callers ? "< " : "> ";
    size_t n = collect_edges(v, callers ? v->callers : v->callees, first[fn], first[fn + 1], callers);
    for (size_t i = 0; i < n; i++)
        put_line(v, mark, &v->lines[i]);
    if (first[fn + 1] - first[fn] > n)
        qn_out_printf(v->m->sink, "%s%zu of less cost\n", mark, first[fn + 1] - first[fn] - n);
}

static int count_width(int width, int64_t n)
{
    char number[QN_OUT_COUNT_MAX];
    int own = qn_out_commify(number, n);
    return own > width ? own : width;
}

static void measure(struct view *v)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    v->calls_width = (int)strlen("called");
    for (size_t i = 0; i < v->fn_count; i++) {
        qn_out_measure(&v->table, v->fns[i].counts, NULL);
        v->calls_width = count_width(v->calls_width, v->fns[i].calls);
    }
    for (size_t i = 0; i < c->edge_count; i++) {
        qn_out_measure(&v->table, v->edges + i * (size_t)v->m->events, NULL);
        v->calls_width = count_width(v->calls_width, c->edges[i].calls);
    }
    qn_out_fix_widths(&v->table);
}

static void put_all(struct view *v)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    struct qn_out_sink *s = v->m->sink;
    put_heading(v, "Inclusive function summary", "", "called");
    for (size_t i = 0; i < v->fn_count; i++)
        put_line(v, "", &v->fns[i]);
    qn_out_putc(s, '\n');
    put_heading(v, "Callers (<) and callees (>)", "  ", "calls");
    for (size_t i = 0; i < v->fn_count; i++) {
        put_edges(v, v->fns[i].fn, 1);
        put_line(v, "* ", &v->fns[i]);
        put_edges(v, v->fns[i].fn, 0);
        qn_out_putc(s, '\n');
    }
    for (size_t i = 0; i < c->lost_count; i++) {
        qn_out_puts(s, "There was no room for all calls: ");
        qn_out_name(s, c->lost[i].what);
        qn_out_printf(s, " %" PRId64 "\n", c->lost[i].count);
    }
}

/* ---- all of it ---- */

static enum qn_text_status read_calls(struct view *v)
{
    const struct qn_out_request *q = v->m->request;
    char left_out[QN_TEXT_MAX];
    v->sum.mod_file = q->mod_file;
    v->sum.mod_fn = q->mod_fn;
    for (int i = 0; i < q->input_count; i++)
        if (qn_prof_sum_tables(&v->sum, QN_PROF_CALLS_ONLY, q->inputs[i], q->diff && i == 0, v->m->err) != QN_TEXT_OK)
            return v->m->err->status;
    qn_prof_finish_tables(&v->sum, left_out, sizeof left_out);
    if (v->sum.of_region)
        return qn_text_fail(v->m->err, QN_TEXT_BAD, "%s: calls are not told apart by region", v->sum.of_region);
    if (!v->sum.calls.fn_count)
        return qn_text_fail(v->m->err, QN_TEXT_BAD, "%s: calls are not known; `quern run --calls=yes` writes them into the profile",
                            v->sum.without_calls ? v->sum.without_calls : q->inputs[0]);
    return QN_TEXT_OK;
}

static void prepare(struct view *v)
{
    const struct qn_prof_calls *c = &v->sum.calls;
    v->inclusive = qn_prof_widen_calls(c, c->inclusive, c->fn_count, &v->m->ledger.header);
    v->edges = qn_prof_widen_calls(c, c->edge_counts, c->edge_count, &v->m->ledger.header);
    v->fns = QN_NEEDED(calloc(c->fn_count + 1, sizeof *v->fns));
    v->lines = QN_NEEDED(calloc(c->edge_count + 1, sizeof *v->lines));
    index_edges(c, 0, &v->callers, &v->first_caller);
    index_edges(c, 1, &v->callees, &v->first_callee);
    v->least = v->m->request->threshold * qn_out_key_weight(&v->m->columns.sort[0], v->m->total) / 100;
    qn_out_modern_table(v->m, &v->table, 0);
}

enum qn_text_status qn_out_modern_calls(struct qn_out_modern *m)
{
    struct view v = {.m = m};
    if (read_calls(&v) == QN_TEXT_OK) {
        prepare(&v);
        collect_fns(&v);
        measure(&v);
        put_all(&v);
        qn_out_free_table(&v.table);
    }
    qn_prof_free_tables(&v.sum);
    free(v.inclusive);
    free(v.edges);
    free(v.callers);
    free(v.callees);
    free(v.first_caller);
    free(v.first_callee);
    free(v.fns);
    free(v.lines);
    return m->err->status;
}
