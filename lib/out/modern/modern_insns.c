/*
 * Instructions of the modern report. See modern_insns.h.
 *
 * In:  rows sorted by file, function, object, line, address
 * Out: those of one file in another order, and text
 */
#define _GNU_SOURCE
#include "out/modern/modern_insns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/disassemble.h"
#include "prof/counts.h"

enum { TEXT_MAX = 256, FINDINGS_MAX = 1024, FINDINGS_COLUMN = 44 /* behind the address: most instructions are shorter */ };

static struct qn_prof_row row_at(const struct qn_out_insns *x, size_t i)
{
    return qn_prof_table_at(x->rows, x->order[i]);
}

void qn_out_open_insns(struct qn_out_insns *x, struct qn_out_modern *m)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    if (!m->request->disassemble && !m->request->values)
        return;
    qn_prof_table_sort(m->ledger.insns);
    size_t n = qn_prof_table_rows(m->ledger.insns);
    x->order = QN_NEEDED(malloc((n + 1) * sizeof *x->order));
    for (size_t i = 0; i < n; i++)
        x->order[i] = (uint32_t)i;
    x->rows = m->ledger.insns;
}

void qn_out_close_insns(struct qn_out_insns *x)
{
    free(x->order);
    memset(x, 0, sizeof *x);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_by_line(const void *p, const void *q, void *rows)
{
    struct qn_prof_row a = qn_prof_table_at(rows, *(const uint32_t *)p);
    struct qn_prof_row b = qn_prof_table_at(rows, *(const uint32_t *)q);
    int d = compare_numbers(a.line, b.line);
    d = d ? d : strcmp(a.object, b.object);
    d = d ? d : compare_numbers(a.insn->address, b.insn->address);
    return d ? d : compare_numbers(*(const uint32_t *)p, *(const uint32_t *)q);
}

static int compare_by_function(const void *p, const void *q, void *rows)
{
    struct qn_prof_row a = qn_prof_table_at(rows, *(const uint32_t *)p);
    struct qn_prof_row b = qn_prof_table_at(rows, *(const uint32_t *)q);
    int d = strcmp(a.function, b.function);
    d = d ? d : strcmp(a.object, b.object);
    d = d ? d : compare_numbers(a.insn->address, b.insn->address);
    return d ? d : compare_numbers(*(const uint32_t *)p, *(const uint32_t *)q);
}

/* The first row whose file is not before the name. Files stay in order, whatever is done within one. */
static size_t find_file(const struct qn_out_insns *x, const char *file)
{
    return QN_COUNT_WHILE(i, qn_prof_table_rows(x->rows), strcmp(row_at(x, i).file, file) < 0);
}

void qn_out_insns_of_file(struct qn_out_insns *x, const char *file, int by_function)
{
    x->fn = x->object = NULL;
    x->file = file;
    if (!x->order)
        return;
    size_t all = qn_prof_table_rows(x->rows);
    x->at = x->end = find_file(x, file);
    while (x->end < all && strcmp(row_at(x, x->end).file, file) == 0)
        x->end++;
    qsort_r(x->order + x->at, x->end - x->at, sizeof *x->order,
            by_function ? compare_by_function : compare_by_line, x->m->ledger.insns);
}

/* Counts as numbers; QN_PROF_NONE is 0. */
static void get_counts(const struct qn_out_insns *x, size_t i, int64_t *counts)
{
    struct qn_prof_row row = row_at(x, i);
    for (int e = 0; e < x->m->events; e++)
        counts[e] = qn_prof_count(row.counts[e]);
}

static void measure(const struct qn_out_insns *x, struct qn_out_table *t, size_t from, size_t to)
{
    int64_t counts[x->m->events];
    for (size_t i = from; i < to; i++) {
        get_counts(x, i, counts);
        qn_out_measure(t, counts, NULL);
    }
}

void qn_out_measure_insns(const struct qn_out_insns *x, struct qn_out_table *t)
{
    measure(x, t, x->at, x->end);
}

static void put_findings(const struct qn_out_insns *x, const struct qn_prof_row *row, size_t width)
{
    char text[FINDINGS_MAX];
    qn_out_format_findings(&x->m->findings, row->object, row->insn->address, text, sizeof text);
    if (!*text)
        return;
    qn_out_pad(x->m->sink, ' ', width < FINDINGS_COLUMN ? (long)(FINDINGS_COLUMN - width) : 1);
    qn_out_puts(x->m->sink, text);
}

static void put_insn(const struct qn_out_insns *x, const struct qn_out_table *t, size_t i)
{
    struct qn_out_sink *s = x->m->sink;
    struct qn_prof_row row = row_at(x, i);
    int64_t counts[x->m->events];
    char text[TEXT_MAX];
    get_counts(x, i, counts);
    qn_out_put_row(s, t, QN_OUT_PLAIN, counts, NULL);
    qn_out_disassemble(text, sizeof text, row.insn);
    qn_out_printf(s, "     %8" PRIx64 ":  ", row.insn->address);
    qn_out_puts(s, text);
    put_findings(x, &row, strlen(text));
    qn_out_putc(s, '\n');
}

/* Names function and object where they are others than those named last. */
static void put_place(struct qn_out_insns *x, const struct qn_out_table *t, const struct qn_prof_row *row)
{
    struct qn_out_sink *s = x->m->sink;
    if (x->fn && strcmp(x->fn, row->function) == 0 && strcmp(x->object, row->object) == 0)
        return;
    x->fn = row->function;
    x->object = row->object;
    qn_out_put_blanks(s, t);
    qn_out_puts(s, "     ");
    qn_out_name(s, row->function);
    qn_out_puts(s, " in ");
    qn_out_name(s, row->object);
    qn_out_putc(s, '\n');
}

void qn_out_put_insns(struct qn_out_insns *x, const struct qn_out_table *t, uint32_t line)
{
    x->fn = NULL;
    for (; x->at < x->end && row_at(x, x->at).line <= line; x->at++) {
        struct qn_prof_row row = row_at(x, x->at);
        if (row.line < line)
            continue;
        put_place(x, t, &row);
        put_insn(x, t, x->at);
    }
}

/* Behind the last instruction of the function that begins at `from`; its part in *sum. */
static size_t end_of_function(const struct qn_out_insns *x, size_t from, const struct qn_out_key *key, double *sum)
{
    struct qn_prof_row first = row_at(x, from);
    size_t i = from;
    for (*sum = 0; i < x->end; i++) {
        struct qn_prof_row row = row_at(x, i);
        if (strcmp(row.function, first.function) != 0 || strcmp(row.object, first.object) != 0)
            break;
        *sum += qn_out_key_value(key, row.counts);
    }
    return i;
}

static void put_function(struct qn_out_insns *x, size_t from, size_t to)
{
    struct qn_out_sink *s = x->m->sink;
    struct qn_prof_row first = row_at(x, from);
    struct qn_out_table t;
    uint32_t line = 0;
    qn_out_modern_table(x->m, &t, 0);
    measure(x, &t, from, to);
    qn_out_fix_widths(&t);
    qn_out_put_title(s, "Annotated function: ", first.function);
    qn_out_put_heading(s, &t);
    qn_out_puts(s, "\n\n");
    x->fn = NULL;
    put_place(x, &t, &first);
    for (size_t i = from; i < to; i++) {
        struct qn_prof_row row = row_at(x, i);
        if (row.line != line) {
            qn_out_put_blanks(s, &t);
            qn_out_puts(s, "     ");
            qn_out_name(s, row.file);
            qn_out_printf(s, ":%" PRIu32 "\n", row.line);
        }
        line = row.line;
        put_insn(x, &t, i);
    }
    qn_out_putc(s, '\n');
    qn_out_free_table(&t);
}

void qn_out_put_insn_functions(struct qn_out_insns *x)
{
    const struct qn_out_key *key = &x->m->columns.sort[0];
    double least = x->m->request->threshold * qn_out_key_weight(key, x->m->total) / 100;
    while (x->at < x->end) {
        double sum;
        size_t end = end_of_function(x, x->at, key, &sum);
        if ((sum < 0 ? -sum : sum) >= least)
            put_function(x, x->at, end);
        x->at = end;
    }
}
