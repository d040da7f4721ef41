/*
 * The accumulating table of file, function, line. See table.h.
 *
 * In:  adds in any order
 * Out: rows, one for each place, in order of arrival or sorted; text
 *
 * Invariants: `places` and `rows` run in parallel; `order`, where present, is a permutation of all rows; a line's row
 * has a lower number than those of its instructions.
 */
#include "prof/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ready.h"
#include "prof/counts.h"
#include "text/names.h"
#include "text/radix.h"

/* ---- numbered functions ---- */

static int is_fn(const struct qn_prof_fn *fn, uint32_t file, uint32_t name, uint32_t object)
{
    return fn->file == file && fn->name == name && fn->object == object;
}

uint32_t qn_prof_fn_of(struct qn_prof_fns *fns, uint32_t file, uint32_t name, uint32_t object)
{
    uint32_t hash = qn_text_hash_pair(file, name), at;
    if (object != QN_TEXT_NO_ID)
        hash = qn_text_hash_pair(hash, object);
    uint32_t id = qn_text_hash_first(&fns->index, hash, &at);
    while (id != QN_TEXT_NO_ID && !is_fn(&fns->fn[id], file, name, object))
        id = qn_text_hash_next(&fns->index, hash, &at);
    if (id != QN_TEXT_NO_ID)
        return id;
    QN_MORE(fns->fn, fns->index.count, fns->room, QN_TEXT_ROOM);
    id = qn_text_hash_insert(&fns->index, hash);
    fns->fn[id] = (struct qn_prof_fn){file, name, object, QN_TEXT_NO_ID, QN_TEXT_NO_ID};
    return id;
}

/* Places of names by id. */
struct ranks {
    uint32_t *files, *names, *objects;
};

static uint64_t object_key(const struct qn_prof_fns *fns, const struct ranks *r, uint32_t fn)
{
    uint32_t object = fns->fn[fn].object;
    return object == QN_TEXT_NO_ID ? 0 : r->objects[object] + (uint64_t)1;
}

/* The sort is stable: by object first, then by file and name. */
static void fill_ranks(const struct qn_prof_fns *fns, const struct ranks *r, uint32_t *rank)
{
    uint32_t count = qn_prof_fn_count(fns);
    struct qn_text_key *keys = QN_NEEDED(malloc((count + (size_t)1) * sizeof *keys));
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct qn_text_key){object_key(fns, r, i), i};
    qn_text_sort_keys(keys, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct qn_prof_fn *fn = &fns->fn[keys[i].id];
        keys[i].key = (uint64_t)r->files[fn->file] << 32 | r->names[fn->name];
    }
    qn_text_sort_keys(keys, count);
    for (uint32_t i = 0; i < count; i++)
        rank[keys[i].id] = i;
    free(keys);
}

uint32_t *qn_prof_rank_fns(const struct qn_prof_fns *fns)
{
    struct ranks r = {qn_text_rank_names(&fns->files), qn_text_rank_names(&fns->names),
                      qn_text_rank_names(&fns->objects)};
    uint32_t *rank = QN_NEEDED(malloc((qn_prof_fn_count(fns) + (size_t)1) * sizeof *rank));
    fill_ranks(fns, &r, rank);
    free(r.files);
    free(r.names);
    free(r.objects);
    return rank;
}

void qn_prof_free_fns(struct qn_prof_fns *fns)
{
    qn_text_free_names(&fns->files);
    qn_text_free_names(&fns->names);
    qn_text_free_names(&fns->objects);
    qn_text_hash_free(&fns->index);
    free(fns->fn);
    memset(fns, 0, sizeof *fns);
}

/* ---- rows of counts in pieces ----
 *
 * In:  appends
 * Out: stable rows; memory grows by one piece at a time
 */

static void add_piece(struct qn_prof_rows *rows)
{
    size_t used = rows->count >> QN_PROF_ROWS_SHIFT;
    size_t bytes = (size_t)QN_PROF_ROWS_PIECE * (size_t)rows->events * sizeof(int64_t);
    QN_MORE(rows->pieces, used, rows->room, QN_TEXT_ROOM);
    rows->pieces[used] = QN_NEEDED(malloc(bytes));
    qn_ready(rows->pieces[used], bytes);
}

int64_t *qn_prof_new_row(struct qn_prof_rows *rows)
{
    if ((rows->count & (QN_PROF_ROWS_PIECE - 1)) == 0)
        add_piece(rows);
    int64_t *row = qn_prof_row(rows, rows->count++);
    qn_prof_clear_counts(row, rows->events);
    return row;
}

void qn_prof_free_rows(struct qn_prof_rows *rows)
{
    size_t pieces = (rows->count + QN_PROF_ROWS_PIECE - 1) >> QN_PROF_ROWS_SHIFT;
    for (size_t i = 0; i < pieces; i++)
        free(rows->pieces[i]);
    free(rows->pieces);
}

/* ---- the table ---- */

struct qn_prof_place {
    uint32_t fn, line;
    uint32_t insn; /* index into insns; QN_TEXT_NO_ID: the line itself */
};

struct qn_prof_table {
    struct qn_prof_fns fns;
    struct qn_text_hash index; /* (function, line, instruction) -> row; empty until a row is looked for */
    struct qn_prof_place *places; /* by row */
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

#define UNKNOWN "???"

struct qn_prof_table *qn_prof_new_table(int events)
{
    struct qn_prof_table *t = QN_NEEDED(calloc(1, sizeof *t));
    t->rows.events = t->total.events = events;
    t->last_file = t->last_fn = t->object = QN_TEXT_NO_ID;
    qn_prof_new_row(&t->total);
    return t;
}

void qn_prof_free_table(struct qn_prof_table *t)
{
    if (!t)
        return;
    qn_prof_free_fns(&t->fns);
    qn_text_hash_free(&t->index);
    qn_prof_free_rows(&t->rows);
    qn_prof_free_rows(&t->total);
    free(t->places);
    free(t->insns);
    free(t->order);
    free(t);
}

static uint32_t name_id(struct qn_text_names *names, uint32_t last, const char *text)
{
    if (!text || !*text)
        text = UNKNOWN;
    if (last != QN_TEXT_NO_ID && strcmp(qn_text_name(names, last), text) == 0)
        return last;
    return qn_text_intern(names, text, strlen(text));
}

uint32_t qn_prof_table_fn(struct qn_prof_table *t, const char *file, const char *function)
{
    uint32_t last_name = t->last_fn == QN_TEXT_NO_ID ? QN_TEXT_NO_ID : t->fns.fn[t->last_fn].name;
    uint32_t f = name_id(&t->fns.files, t->last_file, file);
    uint32_t n = name_id(&t->fns.names, last_name, function);
    if (f == t->last_file && n == last_name)
        return t->last_fn;
    t->last_file = f;
    return t->last_fn = qn_prof_fn_of(&t->fns, f, n, t->object);
}

void qn_prof_table_want(struct qn_prof_table *t, enum qn_prof_detail detail)
{
    t->detail = detail;
}

enum qn_prof_detail qn_prof_table_wants(const struct qn_prof_table *t)
{
    return t->detail;
}

void qn_prof_table_enter_object(struct qn_prof_table *t, const char *object)
{
    uint32_t id = QN_TEXT_NO_ID;
    if (object && *object && strcmp(object, UNKNOWN) != 0)
        id = name_id(&t->fns.objects, t->object, object);
    if (id != t->object)
        t->last_file = t->last_fn = QN_TEXT_NO_ID;
    t->object = id;
}

static void keep_insn(struct qn_prof_table *t, const struct qn_prof_insn *insn)
{
    QN_MORE(t->insns, t->insn_count, t->insn_room, QN_TEXT_ROOM);
    t->insns[t->insn_count++] = *insn;
}

/* A place that may or may not have a row: `insn` is NULL for the line itself. */
struct wanted {
    uint32_t fn, line;
    const struct qn_prof_insn *insn;
};

static uint32_t row_count(const struct qn_prof_table *t) { return (uint32_t)t->rows.count; }

/* The place of a row. */
static struct wanted wanted_of(const struct qn_prof_table *t, uint32_t row)
{
    const struct qn_prof_place *p = &t->places[row];
    return (struct wanted){p->fn, p->line, p->insn == QN_TEXT_NO_ID ? NULL : &t->insns[p->insn]};
}

static int is_place(const struct qn_prof_table *t, uint32_t row, const struct wanted *at)
{
    struct wanted p = wanted_of(t, row);
    if (p.fn != at->fn || p.line != at->line || !p.insn != !at->insn)
        return 0;
    return !at->insn || qn_prof_same_insn(p.insn, at->insn);
}

/* Is it behind a place of the same function: a later line, or an instruction of this line at a higher address? */
static int is_behind(const struct wanted *at, struct wanted p)
{
    return at->line != p.line ? at->line > p.line : at->insn && (!p.insn || at->insn->address > p.insn->address);
}

static uint32_t hash_of(const struct wanted *at)
{
    uint32_t hash = qn_text_hash_pair(at->fn, at->line);
    if (!at->insn)
        return hash;
    return qn_text_hash_pair(hash ^ (uint32_t)(at->insn->address >> 32), (uint32_t)at->insn->address);
}

/* The row of a place, or QN_TEXT_NO_ID. The rows that are not in the index yet come into it first. */
static uint32_t find_row(struct qn_prof_table *t, const struct wanted *place)
{
    while (t->index.count < row_count(t)) {
        struct wanted p = wanted_of(t, t->index.count);
        qn_text_hash_insert(&t->index, hash_of(&p));
    }
    uint32_t hash = hash_of(place), at, id = qn_text_hash_first(&t->index, hash, &at);
    while (id != QN_TEXT_NO_ID && !is_place(t, id, place))
        id = qn_text_hash_next(&t->index, hash, &at);
    return id;
}

static uint32_t new_row(struct qn_prof_table *t, const struct wanted *at)
{
    uint32_t id = row_count(t);
    if (id == QN_TEXT_NO_ID)
        qn_no_memory();
    QN_MORE(t->places, id, t->room, QN_TEXT_ROOM);
    if (at->insn)
        keep_insn(t, at->insn);
    t->places[id] = (struct qn_prof_place){at->fn, at->line, at->insn ? t->insn_count - 1 : QN_TEXT_NO_ID};
    free(t->order);
    t->order = NULL;
    qn_prof_new_row(&t->rows);
    return id;
}

/* Profiles come sorted: a place is most often behind all others of its function, or that of the next row. */
static int64_t *row_of(struct qn_prof_table *t, const struct wanted *place)
{
    struct qn_prof_fn *fn = &t->fns.fn[place->fn];
    uint32_t id;
    if (fn->first == QN_TEXT_NO_ID) {
        id = fn->first = fn->last = new_row(t, place);
    } else if (is_behind(place, wanted_of(t, fn->last))) {
        id = fn->last = new_row(t, place);
    } else {
        id = t->next < row_count(t) && t->places[t->next].fn == place->fn ? t->next : fn->first;
        if (!is_place(t, id, place))
            id = find_row(t, place);
        if (id == QN_TEXT_NO_ID)
            id = new_row(t, place);
        else
            t->next = id + 1;
    }
    return qn_prof_row(&t->rows, id);
}

/* Adds to the row of a place; with `sums`, to these too. */
static enum qn_text_status add(struct qn_prof_table *t, const struct wanted *at,
                               const int64_t *counts, int64_t *sums, struct qn_text_error *err)
{
    if (qn_prof_add_counts(row_of(t, at), counts, t->rows.events) != 0 ||
        (sums && qn_prof_add_counts(sums, counts, t->rows.events) != 0))
        return qn_text_fail(err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits, at %s:%u",
                            qn_prof_fn_file(&t->fns, at->fn), at->line);
    return QN_TEXT_OK;
}

enum qn_text_status qn_prof_table_add_line(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const int64_t *counts, struct qn_text_error *err)
{
    return add(t, &(struct wanted){fn, line, NULL}, counts, qn_prof_row(&t->total, 0), err);
}

enum qn_text_status qn_prof_table_add_insn(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const struct qn_prof_insn *insn, const int64_t *counts,
                                           struct qn_text_error *err)
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

enum qn_text_status qn_prof_table_add(struct qn_prof_table *t, const char *file,
                                      const char *function, uint32_t line, const int64_t *counts,
                                      struct qn_text_error *err)
{
    return qn_prof_table_add_line(t, qn_prof_table_fn(t, file, function), line, counts, err);
}

const int64_t *qn_prof_table_totals(const struct qn_prof_table *t)
{
    return qn_prof_row(&t->total, 0);
}

/* ---- rows in order, and as text ----
 *
 * In:  a table that has been filled
 * Out: rows sorted by file name, function name, object, line, address; a profile's body through a writer
 */

static uint64_t address_of(const struct qn_prof_table *t, uint64_t row)
{
    uint32_t insn = t->places[row].insn;
    return insn == QN_TEXT_NO_ID ? 0 : t->insns[insn].address;
}

/* The sort is stable: by address first, then by function and line. */
static void sort_rows(const struct qn_prof_table *t, const uint32_t *rank, struct qn_text_key *keys)
{
    uint32_t count = row_count(t);
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
    for (uint32_t i = 0; i < row_count(t); i++) {
        if (t->places[keys[i].id].insn == QN_TEXT_NO_ID)
            line = (uint32_t)keys[i].id;
        keys[i].key = (keys[i].key >> 32 << 32) | line;
    }
    qn_text_sort_keys(keys, row_count(t));
}

/* Orders rows by the rank of their functions, which is freed. */
static void use_rank(struct qn_prof_table *t, uint32_t *rank, int by_row)
{
    uint32_t count = row_count(t);
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

struct qn_prof_fns *qn_prof_table_fns(struct qn_prof_table *t) { return &t->fns; }

/* Where the rows of an owner begin. */
static size_t first_row(const struct qn_prof_table *t, int by_fn, uint64_t owner)
{
    size_t low = 0, high = row_count(t);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t fn = t->places[t->order[middle]].fn;
        if ((by_fn ? fn : t->fns.fn[fn].file) < owner)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct qn_prof_lines qn_prof_table_lines(struct qn_prof_table *t, int by_fn, uint32_t owner)
{
    if (!t->order) {
        uint32_t count = qn_prof_fn_count(&t->fns), *owners = QN_NEEDED(malloc((count + (size_t)1) * sizeof *owners));
        for (uint32_t fn = 0; fn < count; fn++)
            owners[fn] = by_fn ? fn : t->fns.fn[fn].file;
        use_rank(t, owners, 0);
    }
    size_t first = first_row(t, by_fn, owner);
    return (struct qn_prof_lines){t, first, first, first_row(t, by_fn, owner + (uint64_t)1)};
}

int qn_prof_next_line(struct qn_prof_lines *l, uint32_t *line, int64_t *counts)
{
    const struct qn_prof_table *t = l->table;
    if (l->at == l->end)
        return 0;
    *line = t->places[t->order[l->at]].line;
    qn_prof_clear_counts(counts, t->rows.events);
    for (; l->at < l->end && t->places[t->order[l->at]].line == *line; l->at++)
        if (t->places[t->order[l->at]].insn == QN_TEXT_NO_ID &&
            qn_prof_add_counts(counts, qn_prof_row(&t->rows, t->order[l->at]), t->rows.events) != 0)
            return -1;
    return 1;
}

size_t qn_prof_table_rows(const struct qn_prof_table *t)
{
    return row_count(t);
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
    for (uint32_t i = 0; i < row_count(t); i++) {
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
    for (uint32_t i = 0; i < row_count(t) && t->fns.objects.index.count > 0; i++)
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
