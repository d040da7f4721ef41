/*
 * The accumulating table of file, function, line. See table.h.
 *
 * In:  adds in any order
 * Out: rows sorted by file name, function name, line; a profile's body through a writer
 *
 * Invariants: `fn_of_row`, `line_of_row` and `rows` run in parallel; `order`, where present, is a
 * permutation of all rows.
 */
#include "prof/table.h"

#include <stdlib.h>
#include <string.h>

#include "prof/counts.h"
#include "prof/fns.h"
#include "prof/radix.h"
#include "prof/rows.h"
#include "prof/sizes.h"

#define UNKNOWN "???"

struct qn_prof_table {
    struct qn_prof_fns fns;
    struct qn_prof_hash index; /* (function, line) -> row */
    struct place {
        uint32_t fn, line;
    } *places; /* by row */
    uint32_t room;
    struct qn_prof_rows rows;
    struct qn_prof_rows total; /* a single row */
    uint32_t *order;           /* sorted rows, or NULL */
    uint32_t last_file, last_fn;
    uint32_t next; /* the row behind the one added to last: profiles of one program come in one order */
};

struct qn_prof_table *qn_prof_new_table(int events)
{
    struct qn_prof_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->rows.events = t->total.events = events;
    t->last_file = t->last_fn = QN_PROF_NO_ID;
    if (!qn_prof_new_row(&t->total)) {
        qn_prof_free_table(t);
        return NULL;
    }
    return t;
}

void qn_prof_free_table(struct qn_prof_table *t)
{
    if (!t)
        return;
    qn_prof_free_fns(&t->fns);
    qn_prof_hash_free(&t->index);
    qn_prof_free_rows(&t->rows);
    qn_prof_free_rows(&t->total);
    free(t->places);
    free(t->order);
    free(t);
}

static uint32_t name_id(struct qn_prof_names *names, uint32_t last, const char *text)
{
    if (!text || !*text)
        text = UNKNOWN;
    if (last != QN_PROF_NO_ID && strcmp(qn_prof_name(names, last), text) == 0)
        return last;
    return qn_prof_intern(names, text, strlen(text));
}

uint32_t qn_prof_table_fn(struct qn_prof_table *t, const char *file, const char *function)
{
    uint32_t last_name = t->last_fn == QN_PROF_NO_ID ? QN_PROF_NO_ID : t->fns.fn[t->last_fn].name;
    uint32_t f = name_id(&t->fns.files, t->last_file, file);
    uint32_t n = name_id(&t->fns.names, last_name, function);
    if (f == QN_PROF_NO_ID || n == QN_PROF_NO_ID)
        return QN_PROF_NO_FN;
    if (f == t->last_file && n == last_name)
        return t->last_fn;
    uint32_t fn = qn_prof_fn_of(&t->fns, f, n);
    t->last_file = fn == QN_PROF_NO_ID ? QN_PROF_NO_ID : f;
    t->last_fn = fn;
    return fn;
}

static int make_room(struct qn_prof_table *t)
{
    if (t->index.count < t->room)
        return 0;
    uint32_t room = t->room ? t->room * 2 : QN_PROF_ROOM;
    struct place *places = realloc(t->places, room * sizeof *places);
    if (!places)
        return -1;
    t->places = places;
    t->room = room;
    return 0;
}

static int64_t *new_row(struct qn_prof_table *t, uint32_t fn, uint32_t line, uint32_t hash)
{
    if (make_room(t) != 0)
        return NULL;
    int64_t *row = qn_prof_new_row(&t->rows);
    uint32_t id = row ? qn_prof_hash_insert(&t->index, hash) : QN_PROF_NO_ID;
    if (id == QN_PROF_NO_ID)
        return NULL;
    t->places[id] = (struct place){fn, line};
    free(t->order);
    t->order = NULL;
    return row;
}

static int is_place(const struct qn_prof_table *t, uint32_t row, uint32_t fn, uint32_t line)
{
    return t->places[row].fn == fn && t->places[row].line == line;
}

static int64_t *row_of(struct qn_prof_table *t, uint32_t fn, uint32_t line)
{
    if (t->next < t->index.count && is_place(t, t->next, fn, line))
        return qn_prof_row(&t->rows, t->next++);
    uint32_t hash = qn_prof_hash_pair(fn, line), at;
    uint32_t id = qn_prof_hash_first(&t->index, hash, &at);
    while (id != QN_PROF_NO_ID && !is_place(t, id, fn, line))
        id = qn_prof_hash_next(&t->index, hash, &at);
    if (id == QN_PROF_NO_ID)
        return new_row(t, fn, line, hash);
    t->next = id + 1;
    return qn_prof_row(&t->rows, id);
}

enum qn_prof_status qn_prof_table_add_line(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const int64_t *counts, struct qn_prof_error *err)
{
    int64_t *row = fn == QN_PROF_NO_FN ? NULL : row_of(t, fn, line);
    if (!row)
        return qn_prof_fail_memory(err);
    if (qn_prof_add_counts(row, counts, t->rows.events) != 0 ||
        qn_prof_add_counts(qn_prof_row(&t->total, 0), counts, t->rows.events) != 0)
        return qn_prof_fail(err, QN_PROF_BAD, "a sum of counts does not fit in 64 bits, at %s:%u",
                            qn_prof_fn_file(&t->fns, fn), line);
    return QN_PROF_OK;
}

enum qn_prof_status qn_prof_table_add(struct qn_prof_table *t, const char *file,
                                      const char *function, uint32_t line, const int64_t *counts,
                                      struct qn_prof_error *err)
{
    return qn_prof_table_add_line(t, qn_prof_table_fn(t, file, function), line, counts, err);
}

const int64_t *qn_prof_table_totals(const struct qn_prof_table *t)
{
    return qn_prof_row(&t->total, 0);
}

static int fill_order(struct qn_prof_table *t, const uint32_t *rank)
{
    uint32_t count = t->index.count;
    struct qn_prof_key *keys = malloc((count + (size_t)1) * sizeof *keys);
    if (!keys)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct qn_prof_key){(uint64_t)rank[t->places[i].fn] << 32 | t->places[i].line, i};
    int failed = qn_prof_sort_keys(keys, count);
    for (uint32_t i = 0; i < count && !failed; i++)
        t->order[i] = (uint32_t)keys[i].id;
    free(keys);
    return failed;
}

enum qn_prof_status qn_prof_table_sort(struct qn_prof_table *t, struct qn_prof_error *err)
{
    if (t->order)
        return QN_PROF_OK;
    uint32_t *rank = qn_prof_rank_fns(&t->fns);
    t->order = malloc((t->index.count + (size_t)1) * sizeof *t->order);
    int failed = !rank || !t->order || fill_order(t, rank) != 0;
    free(rank);
    if (!failed)
        return QN_PROF_OK;
    free(t->order);
    t->order = NULL;
    return qn_prof_fail_memory(err);
}

size_t qn_prof_table_rows(const struct qn_prof_table *t)
{
    return t->index.count;
}

struct qn_prof_row qn_prof_table_at(const struct qn_prof_table *t, size_t row)
{
    size_t at = t->order ? t->order[row] : row;
    const struct place *p = &t->places[at];
    return (struct qn_prof_row){qn_prof_fn_file(&t->fns, p->fn), qn_prof_fn_name(&t->fns, p->fn),
                                p->line, qn_prof_row(&t->rows, at)};
}

static void write_rows(struct qn_prof_table *t, struct qn_prof_writer *w)
{
    uint32_t last = QN_PROF_NO_ID;
    for (uint32_t i = 0; i < t->index.count; i++) {
        const struct place *p = &t->places[t->order[i]];
        if (p->fn != last) {
            const struct qn_prof_fn *fn = &t->fns.fn[p->fn];
            if (last == QN_PROF_NO_ID || t->fns.fn[last].file != fn->file)
                qn_prof_put_file(w, qn_prof_name(&t->fns.files, fn->file));
            qn_prof_put_fn(w, qn_prof_name(&t->fns.names, fn->name));
            last = p->fn;
        }
        qn_prof_put_counts(w, p->line, qn_prof_row(&t->rows, t->order[i]));
    }
}

enum qn_prof_status qn_prof_table_write(struct qn_prof_table *t, struct qn_prof_writer *w,
                                        struct qn_prof_error *err)
{
    if (qn_prof_table_sort(t, err) != QN_PROF_OK)
        return err ? err->status : QN_PROF_MEMORY;
    write_rows(t, w);
    qn_prof_put_summary(w, qn_prof_table_totals(t));
    return QN_PROF_OK;
}
