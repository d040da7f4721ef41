/*
 * The accumulating table of file, function, line. See table.h.
 *
 * In:  adds in any order
 * Out: rows sorted by file name, function name, object, line, address; a profile's body through a writer
 *
 * Invariants: `places` and `rows` run in parallel; `order`, where present, is a permutation of all
 * rows; a line's row has a lower number than those of its instructions.
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
    struct qn_prof_hash index; /* (function, line, instruction) -> row */
    struct place {
        uint32_t fn, line;
        uint32_t insn; /* index into insns; QN_PROF_NO_ID: the line itself */
    } *places; /* by row */
    uint32_t room;
    struct qn_prof_insn *insns;
    uint32_t insn_count, insn_room;
    int insns_hidden;
    struct qn_prof_rows rows;
    struct qn_prof_rows total; /* a single row */
    uint32_t *order;           /* sorted rows, or NULL */
    uint32_t last_file, last_fn;
    uint32_t object; /* of functions to come */
    enum qn_prof_detail detail;
    uint32_t next; /* the row behind the one added to last: profiles of one program come in one order */
};

struct qn_prof_table *qn_prof_new_table(int events)
{
    struct qn_prof_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->rows.events = t->total.events = events;
    t->last_file = t->last_fn = t->object = QN_PROF_NO_ID;
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
    free(t->insns);
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
    uint32_t fn = qn_prof_fn_of(&t->fns, f, n, t->object);
    t->last_file = fn == QN_PROF_NO_ID ? QN_PROF_NO_ID : f;
    t->last_fn = fn;
    return fn;
}

void qn_prof_table_want(struct qn_prof_table *t, enum qn_prof_detail detail)
{
    t->detail = detail;
}

enum qn_prof_detail qn_prof_table_wants(const struct qn_prof_table *t)
{
    return t->detail;
}

int qn_prof_table_enter_object(struct qn_prof_table *t, const char *object)
{
    uint32_t id = QN_PROF_NO_ID;
    if (object && *object && strcmp(object, UNKNOWN) != 0) {
        id = name_id(&t->fns.objects, t->object, object);
        if (id == QN_PROF_NO_ID)
            return -1;
    }
    if (id != t->object)
        t->last_file = t->last_fn = QN_PROF_NO_ID;
    t->object = id;
    return 0;
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

static int keep_insn(struct qn_prof_table *t, const struct qn_prof_insn *insn)
{
    if (t->insn_count == t->insn_room) {
        uint32_t room = t->insn_room ? t->insn_room * 2 : QN_PROF_ROOM;
        struct qn_prof_insn *insns = realloc(t->insns, room * sizeof *insns);
        if (!insns)
            return -1;
        t->insns = insns;
        t->insn_room = room;
    }
    t->insns[t->insn_count++] = *insn;
    return 0;
}

/* A place that may or may not have a row: `insn` is NULL for the line itself. */
struct wanted {
    uint32_t fn, line;
    const struct qn_prof_insn *insn;
};

static int64_t *new_row(struct qn_prof_table *t, const struct wanted *at, uint32_t hash)
{
    if (make_room(t) != 0 || (at->insn && keep_insn(t, at->insn) != 0))
        return NULL;
    int64_t *row = qn_prof_new_row(&t->rows);
    uint32_t id = row ? qn_prof_hash_insert(&t->index, hash) : QN_PROF_NO_ID;
    if (id == QN_PROF_NO_ID)
        return NULL;
    t->places[id] = (struct place){at->fn, at->line, at->insn ? t->insn_count - 1 : QN_PROF_NO_ID};
    free(t->order);
    t->order = NULL;
    return row;
}

static int is_place(const struct qn_prof_table *t, uint32_t row, const struct wanted *at)
{
    const struct place *p = &t->places[row];
    if (p->fn != at->fn || p->line != at->line)
        return 0;
    if (!at->insn || p->insn == QN_PROF_NO_ID)
        return !at->insn && p->insn == QN_PROF_NO_ID;
    return qn_prof_same_insn(&t->insns[p->insn], at->insn);
}

static uint32_t hash_of(const struct wanted *at)
{
    uint32_t hash = qn_prof_hash_pair(at->fn, at->line);
    if (!at->insn)
        return hash;
    return qn_prof_hash_pair(hash ^ (uint32_t)(at->insn->address >> 32), (uint32_t)at->insn->address);
}

static int64_t *row_of(struct qn_prof_table *t, const struct wanted *place)
{
    if (t->next < t->index.count && is_place(t, t->next, place))
        return qn_prof_row(&t->rows, t->next++);
    uint32_t hash = hash_of(place), at;
    uint32_t id = qn_prof_hash_first(&t->index, hash, &at);
    while (id != QN_PROF_NO_ID && !is_place(t, id, place))
        id = qn_prof_hash_next(&t->index, hash, &at);
    if (id == QN_PROF_NO_ID)
        return new_row(t, place, hash);
    t->next = id + 1;
    return qn_prof_row(&t->rows, id);
}

/* Adds to the row of a place; with `sums`, to these too. */
static enum qn_prof_status add(struct qn_prof_table *t, const struct wanted *at,
                               const int64_t *counts, int64_t *sums, struct qn_prof_error *err)
{
    int64_t *row = at->fn == QN_PROF_NO_FN ? NULL : row_of(t, at);
    if (!row)
        return qn_prof_fail_memory(err);
    if (qn_prof_add_counts(row, counts, t->rows.events) != 0 ||
        (sums && qn_prof_add_counts(sums, counts, t->rows.events) != 0))
        return qn_prof_fail(err, QN_PROF_BAD, "a sum of counts does not fit in 64 bits, at %s:%u",
                            qn_prof_fn_file(&t->fns, at->fn), at->line);
    return QN_PROF_OK;
}

enum qn_prof_status qn_prof_table_add_line(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const int64_t *counts, struct qn_prof_error *err)
{
    return add(t, &(struct wanted){fn, line, NULL}, counts, qn_prof_row(&t->total, 0), err);
}

enum qn_prof_status qn_prof_table_add_insn(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const struct qn_prof_insn *insn, const int64_t *counts,
                                           struct qn_prof_error *err)
{
    return add(t, &(struct wanted){fn, line, insn}, counts, NULL, err);
}

int qn_prof_table_has_insns(const struct qn_prof_table *t)
{
    return t->insn_count > 0 && !t->insns_hidden;
}

void qn_prof_table_hide_insns(struct qn_prof_table *t)
{
    t->insns_hidden = 1;
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

static uint64_t address_of(const struct qn_prof_table *t, uint64_t row)
{
    uint32_t insn = t->places[row].insn;
    return insn == QN_PROF_NO_ID ? 0 : t->insns[insn].address;
}

/* The sort is stable: by address first, then by function and line. */
static int sort_rows(const struct qn_prof_table *t, const uint32_t *rank, struct qn_prof_key *keys)
{
    uint32_t count = t->index.count;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct qn_prof_key){address_of(t, i), i};
    if (t->insn_count > 0 && qn_prof_sort_keys(keys, count) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct place *p = &t->places[keys[i].id];
        keys[i].key = (uint64_t)rank[p->fn] << 32 | p->line;
    }
    return qn_prof_sort_keys(keys, count);
}

static int fill_order(struct qn_prof_table *t, const uint32_t *rank)
{
    uint32_t count = t->index.count;
    struct qn_prof_key *keys = malloc((count + (size_t)1) * sizeof *keys);
    if (!keys)
        return -1;
    int failed = sort_rows(t, rank, keys);
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
    return (struct qn_prof_row){qn_prof_fn_object(&t->fns, p->fn), qn_prof_fn_file(&t->fns, p->fn),
                                qn_prof_fn_name(&t->fns, p->fn), p->line,
                                p->insn == QN_PROF_NO_ID ? NULL : &t->insns[p->insn],
                                qn_prof_row(&t->rows, at)};
}

/* The lines that lead from one function (or none) to another. */
static void write_fn(const struct qn_prof_table *t, struct qn_prof_writer *w, uint32_t from, uint32_t to)
{
    const struct qn_prof_fn *a = from == QN_PROF_NO_ID ? NULL : &t->fns.fn[from], *b = &t->fns.fn[to];
    if (a ? a->object != b->object : b->object != QN_PROF_NO_ID)
        qn_prof_put_object(w, qn_prof_fn_object(&t->fns, to));
    if (!a || a->file != b->file)
        qn_prof_put_file(w, qn_prof_name(&t->fns.files, b->file));
    if (!a || a->file != b->file || a->name != b->name)
        qn_prof_put_fn(w, qn_prof_name(&t->fns.names, b->name));
}

static void write_rows(struct qn_prof_table *t, struct qn_prof_writer *w)
{
    uint32_t last = QN_PROF_NO_ID;
    for (uint32_t i = 0; i < t->index.count; i++) {
        const struct place *p = &t->places[t->order[i]];
        const int64_t *counts = qn_prof_row(&t->rows, t->order[i]);
        if (p->fn != last)
            write_fn(t, w, last, p->fn);
        last = p->fn;
        if (p->insn == QN_PROF_NO_ID)
            qn_prof_put_counts(w, p->line, counts);
        else if (!t->insns_hidden)
            qn_prof_put_insn(w, &t->insns[p->insn], counts);
    }
}

/* Whether any row lies in a known object. */
static int has_objects(const struct qn_prof_table *t)
{
    for (uint32_t i = 0; i < t->index.count && t->fns.objects.index.count > 0; i++)
        if (t->fns.fn[t->places[i].fn].object != QN_PROF_NO_ID)
            return 1;
    return 0;
}

enum qn_prof_status qn_prof_table_write(struct qn_prof_table *t, struct qn_prof_writer *w,
                                        struct qn_prof_error *err)
{
    if (qn_prof_table_sort(t, err) != QN_PROF_OK)
        return err ? err->status : QN_PROF_MEMORY;
    if (qn_prof_table_has_insns(t))
        qn_prof_put_positions(w, QN_PROF_BY_INSN);
    else if (has_objects(t))
        qn_prof_put_positions(w, QN_PROF_BY_OBJECT);
    write_rows(t, w);
    qn_prof_put_summary(w, qn_prof_table_totals(t));
    return QN_PROF_OK;
}
