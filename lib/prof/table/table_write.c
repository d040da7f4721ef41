/*
 * The rows of a table in order, and as text. See table.h and table_rows.h.
 *
 * In:  a table that has been filled
 * Out: rows sorted by file name, function name, object, line, address; a profile's body through a writer
 */
#include "prof/table/table_rows.h"

#include <stdlib.h>

#include "base/grow.h"
#include "text/radix.h"

static uint64_t address_of(const struct qn_prof_table *t, uint64_t row)
{
    uint32_t insn = t->places[row].insn;
    return insn == QN_TEXT_NO_ID ? 0 : t->insns[insn].address;
}

/* The sort is stable: by address first, then by function and line. */
static void sort_rows(const struct qn_prof_table *t, const uint32_t *rank, struct qn_text_key *keys)
{
    uint32_t count = t->index.count;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct qn_text_key){address_of(t, i), i};
    if (t->insn_count > 0)
        qn_text_sort_keys(keys, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct qn_prof_place *p = &t->places[keys[i].id];
        keys[i].key = (uint64_t)rank[p->fn] << 32 | p->line;
    }
    qn_text_sort_keys(keys, count);
}

/* Then: lines by the numbers of their rows; instructions get the number of their line's row. */
static void sort_lines_by_row(struct qn_text_key *keys, const struct qn_prof_table *t)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < t->index.count; i++) {
        if (t->places[keys[i].id].insn == QN_TEXT_NO_ID)
            line = (uint32_t)keys[i].id;
        keys[i].key = (keys[i].key >> 32 << 32) | line;
    }
    qn_text_sort_keys(keys, t->index.count);
}

/* Orders rows by the rank of their functions, which is freed. */
static void use_rank(struct qn_prof_table *t, uint32_t *rank, int by_row)
{
    uint32_t count = t->index.count;
    struct qn_text_key *keys = QN_NEEDED(malloc((count + (size_t)1) * sizeof *keys));
    sort_rows(t, rank, keys);
    if (by_row)
        sort_lines_by_row(keys, t);
    free(t->order);
    t->order = QN_NEEDED(malloc((count + (size_t)1) * sizeof *t->order));
    for (uint32_t i = 0; i < count; i++)
        t->order[i] = (uint32_t)keys[i].id;
    free(keys);
    free(rank);
}

void qn_prof_table_sort(struct qn_prof_table *t)
{
    if (!t->order)
        use_rank(t, qn_prof_rank_fns(&t->fns), 0);
}

/* An array (by function) of its place by file and function, both in the order in which they were numbered. */
static uint32_t *rank_as_numbered(const struct qn_prof_fns *fns)
{
    uint32_t count = qn_prof_fn_count(fns);
    struct qn_text_key *keys = QN_NEEDED(malloc((count + (size_t)1) * sizeof *keys));
    uint32_t *rank = QN_NEEDED(malloc((count + (size_t)1) * sizeof *rank));
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct qn_text_key){fns->fn[i].file, i};
    qn_text_sort_keys(keys, count);
    for (uint32_t i = 0; i < count; i++)
        rank[keys[i].id] = i;
    free(keys);
    return rank;
}

void qn_prof_table_keep_order(struct qn_prof_table *t) { use_rank(t, rank_as_numbered(&t->fns), 1); }

size_t qn_prof_table_rows(const struct qn_prof_table *t)
{
    return t->index.count;
}

struct qn_prof_row qn_prof_table_at(const struct qn_prof_table *t, size_t row)
{
    size_t at = t->order ? t->order[row] : row;
    const struct qn_prof_place *p = &t->places[at];
    return (struct qn_prof_row){qn_prof_fn_object(&t->fns, p->fn), qn_prof_fn_file(&t->fns, p->fn),
                                qn_prof_fn_name(&t->fns, p->fn), p->line,
                                p->insn == QN_TEXT_NO_ID ? NULL : &t->insns[p->insn],
                                qn_prof_row(&t->rows, at)};
}

/* The lines that lead from one function (or none) to another. */
static void write_fn(const struct qn_prof_table *t, struct qn_prof_writer *w, uint32_t from, uint32_t to)
{
    const struct qn_prof_fn *a = from == QN_TEXT_NO_ID ? NULL : &t->fns.fn[from], *b = &t->fns.fn[to];
    if (a ? a->object != b->object : b->object != QN_TEXT_NO_ID)
        qn_prof_put_object(w, qn_prof_fn_object(&t->fns, to));
    if (!a || a->file != b->file)
        qn_prof_put_file(w, qn_text_name(&t->fns.files, b->file));
    if (!a || a->file != b->file || a->name != b->name)
        qn_prof_put_fn(w, qn_text_name(&t->fns.names, b->name));
}

static void write_rows(struct qn_prof_table *t, struct qn_prof_writer *w)
{
    uint32_t last = QN_TEXT_NO_ID;
    for (uint32_t i = 0; i < t->index.count; i++) {
        const struct qn_prof_place *p = &t->places[t->order[i]];
        const int64_t *counts = qn_prof_row(&t->rows, t->order[i]);
        if (p->fn != last)
            write_fn(t, w, last, p->fn);
        last = p->fn;
        if (p->insn == QN_TEXT_NO_ID)
            qn_prof_put_counts(w, p->line, counts);
        else if (!t->insns_hidden)
            qn_prof_put_insn(w, &t->insns[p->insn], counts);
    }
}

/* Whether any row lies in a known object. */
static int has_objects(const struct qn_prof_table *t)
{
    for (uint32_t i = 0; i < t->index.count && t->fns.objects.index.count > 0; i++)
        if (t->fns.fn[t->places[i].fn].object != QN_TEXT_NO_ID)
            return 1;
    return 0;
}

void qn_prof_table_write(struct qn_prof_table *t, struct qn_prof_writer *w)
{
    qn_prof_table_sort(t);
    if (qn_prof_table_has_insns(t))
        qn_prof_put_positions(w, QN_PROF_BY_INSN);
    else if (has_objects(t))
        qn_prof_put_positions(w, QN_PROF_BY_OBJECT);
    write_rows(t, w);
    qn_prof_put_summary(w, qn_prof_table_totals(t));
}
