/*
 * One flat table in place of the function and source sections: --by=file|function|line|object|inline.
 *
 * In:  the ledger
 * Out: rows above the threshold, sorted as the function sections are, with cumulative percentages
 *
 * Rules: a function is a name, whatever files its code comes from; a line is a file and a number;
 * an object comes from the profile's ob= lines (??? without them); --by=inline has a row for each line of an inlined function, by the function's
 * name, which says where it was inlined, with all calls between if the run had --inline=chains.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/modern/modern.h"
#include "prof/counts.h"

struct by {
    struct qn_out_modern *m;
    double least; /* of the primary sort event */
    struct qn_prof_rows counts; /* of the rows, by place of arrival */
    struct by_row {
        const char *name;
        const int64_t *counts;
        uint32_t line;
        const char *function; /* NULL: rows are not by function */
    } *rows;
    size_t count, room;
};

/* Keeps a row that reaches the threshold. */
static void keep_line(struct by *b, const char *name, uint32_t line, const char *function, const int64_t *counts)
{
    int events = b->m->events;
    if (qn_out_key_weight(&b->m->columns.sort[0], counts) < b->least)
        return;
    QN_MORE(b->rows, b->count, b->room, 256);
    int64_t *copy = qn_prof_new_row(&b->counts);
    for (int i = 0; i < events; i++)
        copy[i] = qn_prof_count(counts[i]);
    b->rows[b->count++] = (struct by_row){name, copy, line, function};
}

static void keep(struct by *b, const char *name, const int64_t *counts) { keep_line(b, name, 0, NULL, counts); }

/* Sums all functions by file id or by name id, and keeps the sums. */
static int collect_sums(struct by *b, int by_function)
{
    const struct qn_prof_fns *fns = &b->m->ledger.fns;
    const struct qn_text_names *names = by_function ? &fns->names : &fns->files;
    size_t ids = names->index.count, events = (size_t)b->m->events;
    int64_t *sums = QN_NEEDED(calloc(ids * events + 1, sizeof *sums));
    unsigned char *used = QN_NEEDED(calloc(ids + 1, 1));
    int failed = 0;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(fns) && !failed; fn++) {
        uint32_t id = by_function ? fns->fn[fn].name : fns->fn[fn].file;
        used[id] = 1;
        failed = qn_prof_add_counts(sums + id * events, qn_prof_row(&b->m->ledger.fn_totals, fn),
                                    b->m->events);
        if (failed)
            qn_text_fail(b->m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    for (uint32_t id = 0; id < ids && !failed; id++)
        if (used[id])
            keep(b, qn_text_name(names, id), sums + id * events);
    free(sums);
    free(used);
    return failed;
}

/* The lines of a file, or of a function, whatever the log has been kept by. */
static int collect_lines_of(struct by *b, uint32_t id, const char *file, const char *function, int64_t *counts)
{
    struct qn_prof_log_lines lines;
    uint32_t line;
    int got;
    qn_prof_log_gather(&b->m->ledger.log, id, &lines);
    while ((got = qn_prof_log_next(&lines, &line, counts)) > 0)
        keep_line(b, file, line, function, counts);
    if (got < 0)
        qn_text_fail(b->m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    qn_prof_log_free_lines(&lines);
    return got;
}

static int collect_lines(struct by *b)
{
    const struct qn_prof_fns *fns = &b->m->ledger.fns;
    int by_fn = b->m->request->by == QN_OUT_BY_INLINE;
    uint32_t ids = by_fn ? qn_prof_fn_count(fns) : fns->files.index.count;
    int64_t *counts = QN_NEEDED(calloc((size_t)b->m->events, sizeof *counts));
    int failed = 0;
    for (uint32_t id = 0; id < ids && !failed; id++)
        failed = by_fn ? collect_lines_of(b, id, qn_prof_fn_file(fns, id), qn_prof_fn_name(fns, id), counts)
                       : collect_lines_of(b, id, qn_text_name(&fns->files, id), NULL, counts);
    free(counts);
    return failed;
}

static int collect_objects(struct by *b)
{
    const struct qn_prof_ledger *g = &b->m->ledger;
    if (g->objects.index.count == 1)
        snprintf(b->m->request->warning, QN_TEXT_MAX, "%s: objects are not known; `quern run "
                 "--dump-objects=yes` writes them into the profile", g->sources[0].path);
    for (uint32_t id = 0; id < g->objects.index.count; id++)
        keep(b, qn_text_name(&g->objects, id), qn_prof_row(&g->object_totals, id));
    return 0;
}

static int collect(struct by *b)
{
    switch (b->m->request->by) {
    case QN_OUT_BY_LINE:
    case QN_OUT_BY_INLINE: return collect_lines(b);
    case QN_OUT_BY_OBJECT: return collect_objects(b);
    default: return collect_sums(b, b->m->request->by == QN_OUT_BY_FUNCTION);
    }
}

static int compare_rows(const void *x, const void *y, void *by)
{
    const struct qn_out_columns *c = &((const struct by *)by)->m->columns;
    const struct by_row *a = x, *b = y;
    int d = qn_out_compare_counts(c, a->counts, b->counts);
    d = d ? d : strcmp(b->name, a->name);
    d = d ? d : a->line < b->line ? 1 : a->line > b->line ? -1 : 0;
    return d || !a->function ? d : strcmp(b->function, a->function);
}

static const struct {
    const char *title, *heading;
} kinds[] = {
    [QN_OUT_BY_FILE] = {"File summary", " file\n\n"},
    [QN_OUT_BY_FUNCTION] = {"Function summary", " function\n\n"},
    [QN_OUT_BY_LINE] = {"Line summary", " file:line\n\n"},
    [QN_OUT_BY_OBJECT] = {"Object summary", " object\n\n"},
    [QN_OUT_BY_INLINE] = {"Inline summary", " file:line function\n\n"},
};

static void put_rows(const struct by *b, const struct qn_out_table *t, int64_t *sum)
{
    struct qn_out_sink *s = b->m->sink;
    int by = b->m->request->by;
    qn_out_put_title(s, kinds[by].title, "");
    qn_out_put_heading(s, t);
    qn_out_puts(s, kinds[by].heading);
    for (size_t i = 0; i < b->count; i++) {
        qn_prof_add_counts(sum, b->rows[i].counts, b->m->events);
        qn_out_put_row(s, t, QN_OUT_OUTER, b->rows[i].counts, sum);
        qn_out_putc(s, ' ');
        qn_out_name(s, b->rows[i].name);
        if (by == QN_OUT_BY_LINE || by == QN_OUT_BY_INLINE)
            qn_out_printf(s, ":%u", b->rows[i].line);
        if (b->rows[i].function) {
            qn_out_putc(s, ' ');
            qn_out_name(s, b->rows[i].function);
        }
        qn_out_putc(s, '\n');
    }
    qn_out_putc(s, '\n');
}

static void put_table(const struct by *b)
{
    struct qn_out_table t;
    size_t bytes = (size_t)b->m->events * sizeof(int64_t);
    int64_t *sum = QN_NEEDED(calloc(1, bytes));
    qn_out_modern_table(b->m, &t, 1);
    for (size_t i = 0; i < b->count; i++) {
        qn_prof_add_counts(sum, b->rows[i].counts, b->m->events);
        qn_out_measure(&t, b->rows[i].counts, sum);
    }
    qn_out_fix_widths(&t);
    memset(sum, 0, bytes);
    put_rows(b, &t, sum);
    qn_out_free_table(&t);
    free(sum);
}

enum qn_text_status qn_out_modern_by(struct qn_out_modern *m)
{
    struct by b = {.m = m};
    b.counts.events = m->events;
    b.least = m->request->threshold * qn_out_key_weight(&m->columns.sort[0], m->total) / 100;
    if (collect(&b) == 0) {
        if (b.count > 1)
            qsort_r(b.rows, b.count, sizeof *b.rows, compare_rows, &b);
        put_table(&b);
    }
    qn_prof_free_rows(&b.counts);
    free(b.rows);
    return m->err->status;
}
