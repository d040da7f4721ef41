/*
 * The accumulating table of file, function, line. See table.h and table_rows.h.
 *
 * In:  adds in any order
 * Out: rows, one for each place, in order of arrival
 */
#include "prof/table/table_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"

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

static int64_t *new_row(struct qn_prof_table *t, const struct wanted *at, uint32_t hash)
{
    int64_t *row = qn_prof_new_row(&t->rows);
    QN_MORE(t->places, t->index.count, t->room, QN_TEXT_ROOM);
    if (at->insn)
        keep_insn(t, at->insn);
    uint32_t id = qn_text_hash_insert(&t->index, hash);
    t->places[id] = (struct qn_prof_place){at->fn, at->line, at->insn ? t->insn_count - 1 : QN_TEXT_NO_ID};
    free(t->order);
    t->order = NULL;
    return row;
}

static int is_place(const struct qn_prof_table *t, uint32_t row, const struct wanted *at)
{
    const struct qn_prof_place *p = &t->places[row];
    if (p->fn != at->fn || p->line != at->line)
        return 0;
    if (!at->insn || p->insn == QN_TEXT_NO_ID)
        return !at->insn && p->insn == QN_TEXT_NO_ID;
    return qn_prof_same_insn(&t->insns[p->insn], at->insn);
}

static uint32_t hash_of(const struct wanted *at)
{
    uint32_t hash = qn_text_hash_pair(at->fn, at->line);
    if (!at->insn)
        return hash;
    return qn_text_hash_pair(hash ^ (uint32_t)(at->insn->address >> 32), (uint32_t)at->insn->address);
}

static int64_t *row_of(struct qn_prof_table *t, const struct wanted *place)
{
    if (t->next < t->index.count && is_place(t, t->next, place))
        return qn_prof_row(&t->rows, t->next++);
    uint32_t hash = hash_of(place), at;
    uint32_t id = qn_text_hash_first(&t->index, hash, &at);
    while (id != QN_TEXT_NO_ID && !is_place(t, id, place))
        id = qn_text_hash_next(&t->index, hash, &at);
    if (id == QN_TEXT_NO_ID)
        return new_row(t, place, hash);
    t->next = id + 1;
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
