/*
 * Sums rows by function. See functions.h.
 *
 * Rows of a sorted table come by file, so the part of a function that one file has is a run of rows. The parts are added up in a table
 * whose files are the objects; an array beside it has the file of each function.  Rows are also assigned to the functions of tables of calls.
 */
#define _GNU_SOURCE
#include "prof/table/functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "prof/tables/calls.h"

/* ---- the short form of the name of an inlined function ----
 *
 * Names of functions may contain " at " and ", in ", too; so the last one of each is taken for the chain's.
 */

#define BEGINS " (inlined in "
#define GOES_ON ", in "
#define AT " at "

/* The last place of `what`, before `end`; NULL: none. */
static const char *find_last(const char *from, const char *end, const char *what)
{
    const char *found = NULL, *next;

    while ((next = memmem(from, (size_t)(end - from), what, strlen(what)))) {
        found = next;
        from = next + 1;
    }
    return found;
}

/* Does the name end in ":20)"? */
static int ends_in_a_line(const char *name, size_t n)
{
    size_t i = n - 1;

    while (i > 0 && isdigit((unsigned char)name[i - 1]))
        i--;
    return i < n - 1 && i > 0 && name[i - 1] == ':';
}

/* Finds the name of the function that the code is inlined in, from *outer to *end. 0: nothing is inlined. */
static int find_outer(const char *name, size_t n, const char **begin, const char **outer, const char **end)
{
    const char *last, *at;

    *begin = memmem(name, n, BEGINS, strlen(BEGINS));
    if (!*begin || name[n - 1] != ')')
        return 0;
    *begin += strlen(BEGINS);
    *end = name + n - 1;
    last = find_last(*begin, *end, GOES_ON);
    *outer = last ? last + strlen(GOES_ON) : *begin;
    at = ends_in_a_line(name, n) ? find_last(*outer, *end, AT) : NULL; /* the place of a call is not always known */
    *end = at ? at : *end;
    return 1;
}

void qn_prof_shorten_inlined(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (!find_outer(name, n, &begin, &outer, &end)) {
        qn_text_append(out, name, n);
        return;
    }
    qn_text_append(out, name, (size_t)(begin - name));
    qn_text_append(out, outer, (size_t)(end - outer));
    qn_text_append(out, ")", 1);
}

void qn_prof_inlined_into(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (find_outer(name, n, &begin, &outer, &end))
        qn_text_append(out, outer, (size_t)(end - outer));
    else
        qn_text_append(out, name, n);
}

struct sums {
    struct qn_prof_table *by_object;
    const char **file_of; /* by function of by_object; the names are the first table's */
    int64_t *most;        /* of the first event in that file */
    uint32_t count, file_room, most_room;
    int events;
    struct qn_text_buffer name; /* of a function that is inlined, without the calls between */
    struct qn_text_error *err;
};

static int is_unknown(const char *name)
{
    return strcmp(name, "???") == 0;
}

static int is_same_part(const struct qn_prof_row *a, const struct qn_prof_row *b)
{
    return a->file == b->file && a->function == b->function && strcmp(a->object, b->object) == 0;
}

/* The number of the function in by_object. */
static uint32_t number(struct sums *s, const struct qn_prof_row *part)
{
    /* Functions without a name are one for each file. */
    qn_prof_table_enter_object(s->by_object, is_unknown(part->function) ? part->file : NULL);
    qn_prof_shorten_inlined(part->function, strlen(part->function), &s->name);
    uint32_t fn = qn_prof_table_fn(s->by_object, part->object, s->name.text);
    if (fn < s->count)
        return fn;
    QN_MORE(s->file_of, s->count, s->file_room, 64);
    QN_MORE(s->most, s->count, s->most_room, 64);
    s->file_of[fn] = NULL;
    s->most[fn] = 0;
    s->count++;
    return fn;
}

static enum qn_text_status add_part(struct sums *s, const struct qn_prof_row *part, const int64_t *counts)
{
    uint32_t fn = number(s, part);
    int64_t much = (int64_t)qn_prof_magnitude(qn_prof_count(counts[0]));
    if (!s->file_of[fn] || much > s->most[fn]) {
        s->file_of[fn] = part->file;
        s->most[fn] = much;
    }
    return qn_prof_table_add_line(s->by_object, fn, 0, counts, s->err);
}

static enum qn_text_status add_parts(struct sums *s, const struct qn_prof_table *t)
{
    int64_t counts[s->events];
    struct qn_prof_row part = {0};
    qn_prof_clear_counts(counts, s->events);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn)
            continue;
        if (part.file && !is_same_part(&part, &row)) {
            if (add_part(s, &part, counts) != QN_TEXT_OK)
                return s->err->status;
            qn_prof_clear_counts(counts, s->events);
        }
        part = row;
        if (qn_prof_add_counts(counts, row.counts, s->events) != 0)
            return qn_text_fail(s->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    return part.file ? add_part(s, &part, counts) : QN_TEXT_OK;
}

/* From by_object, whose rows are in the order in which functions were numbered, to a table with files. */
static enum qn_text_status name_files(const struct sums *s, struct qn_prof_table *out)
{
    for (size_t i = 0; i < qn_prof_table_rows(s->by_object); i++) {
        struct qn_prof_row row = qn_prof_table_at(s->by_object, i);
        qn_prof_table_enter_object(out, row.file);
        if (qn_prof_table_add(out, s->file_of[i], row.function, 0, row.counts, s->err) != QN_TEXT_OK)
            return s->err->status;
    }
    qn_prof_table_sort(out);
    return QN_TEXT_OK;
}

struct qn_prof_table *qn_prof_sum_functions(struct qn_prof_table *t, int events, struct qn_text_error *err)
{
    struct sums s = {.by_object = qn_prof_new_table(events), .events = events, .err = err};
    struct qn_prof_table *out = qn_prof_new_table(events);
    if (add_parts(&s, t) == QN_TEXT_OK && name_files(&s, out) == QN_TEXT_OK)
        err = NULL; /* done */
    qn_prof_free_table(s.by_object);
    free(s.file_of);
    free(s.most);
    free(s.name.text);
    if (!err)
        return out;
    qn_prof_free_table(out);
    return NULL;
}

int64_t *qn_prof_widen_calls(const struct qn_prof_calls *c, const int64_t *counts, size_t rows, const struct qn_prof_header *h)
{
    size_t events = (size_t)h->event_count;
    int64_t *to = QN_NEEDED(calloc(rows * events + 1, sizeof *to));
    for (size_t k = 0; k < c->event_count; k++) {
        int at = qn_prof_find_event(h, c->events[k], strlen(c->events[k]));
        for (size_t i = 0; i < rows && at >= 0; i++)
            to[i * events + (size_t)at] = counts[i * c->event_count + k];
    }
    return to;
}

static int same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static uint32_t hash_text(const char *text) { return text ? qn_text_hash_bytes(text, strlen(text)) : 0; }

/* ---- rows and the functions of tables of calls (calls.h) ----
 *
 * A function has up to four keys: with and without its object, with and without its file. Of several functions with one key the first counts.
 */

/* object, file: NULL where the key is without. */
struct key {
    const char *object, *file, *name;
    uint32_t fn;
};

struct owners {
    struct qn_prof_calls *calls;
    struct qn_text_hash index;
    struct key *keys;
    uint32_t room;
    struct qn_text_buffer name;
};

static uint32_t hash_key(const char *object, const char *file, const char *name)
{
    return qn_text_hash_pair(qn_text_hash_pair(hash_text(object), hash_text(file)), hash_text(name));
}

static uint32_t find(const struct owners *o, const char *object, const char *file, const char *name)
{
    uint32_t at, hash = hash_key(object, file, name);
    for (uint32_t id = qn_text_hash_first(&o->index, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(&o->index, hash, &at)) {
        const struct key *k = &o->keys[id];
        if (same(k->object, object) && same(k->file, file) && same(k->name, name))
            return k->fn;
    }
    return UINT32_MAX;
}

static void enter_key(struct owners *o, struct key k)
{
    if (find(o, k.object, k.file, k.name) != UINT32_MAX)
        return;
    QN_MORE(o->keys, o->index.count, o->room, 64);
    o->keys[o->index.count] = k;
    qn_text_hash_insert(&o->index, hash_key(k.object, k.file, k.name));
}

static void enter(struct owners *o, uint32_t fn)
{
    const struct qn_prof_call_fn *f = &o->calls->fns[fn];
    if (f->object) {
        enter_key(o, (struct key){f->object, f->file, f->name, fn});
        enter_key(o, (struct key){f->object, NULL, f->name, fn});
    }
    enter_key(o, (struct key){NULL, f->file, f->name, fn});
    enter_key(o, (struct key){NULL, NULL, f->name, fn});
}

/* A function found without its object may lie in another one. */
static int fits(const struct owners *o, uint32_t fn, const char *object)
{
    return fn != UINT32_MAX && (!object || !o->calls->fns[fn].object);
}

static const char *keep(const struct owners *o, const char *text)
{
    return qn_prof_keep_text(&qn_prof_calls_schema, o->calls, text, text ? strlen(text) : 0);
}

static uint32_t owner(struct owners *o, const char *object, const char *file, const char *name)
{
    uint32_t fn = UINT32_MAX;
    object = object && strcmp(object, QN_PROF_NOT_KNOWN) != 0 ? object : NULL;
    if (object && (fn = find(o, object, file, name)) == UINT32_MAX)
        fn = find(o, object, NULL, name);
    if (fn == UINT32_MAX && !fits(o, fn = find(o, NULL, file, name), object) && !fits(o, fn = find(o, NULL, NULL, name), object))
        fn = UINT32_MAX;
    if (fn != UINT32_MAX)
        return fn;
    fn = qn_prof_add_record(&qn_prof_calls_schema, o->calls, QN_PROF_CALL_FNS,
                            &(struct qn_prof_call_fn){keep(o, object), keep(o, file), keep(o, name), 0});
    enter(o, fn);
    return fn;
}

/* The counts that the current file has of each added function; rows come by file. */
struct shares {
    const char **file;
    int64_t *sum, *most;
};

static void settle(struct qn_prof_calls *c, struct shares *s, size_t fn)
{
    if (s->file[fn] && s->sum[fn] > s->most[fn]) {
        c->fns[fn].file = s->file[fn];
        s->most[fn] = s->sum[fn];
    }
}

/* Chooses the files of functions from `first` on. */
static void choose_files(const struct qn_prof_table *t, const uint32_t *fns, struct qn_prof_calls *c, size_t first)
{
    size_t room = c->fn_count + 1;
    struct shares s = {QN_NEEDED(calloc(room, sizeof *s.file)), QN_NEEDED(calloc(room, sizeof *s.sum)), QN_NEEDED(calloc(room, sizeof *s.most))};
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn || fns[i] < first)
            continue;
        if (s.file[fns[i]] != row.file) {
            settle(c, &s, fns[i]);
            s.file[fns[i]] = row.file;
            s.sum[fns[i]] = 0;
        }
        s.sum[fns[i]] += qn_prof_count(row.counts[0]);
    }
    for (size_t fn = first; fn < c->fn_count; fn++)
        settle(c, &s, fn);
    free(s.file);
    free(s.sum);
    free(s.most);
}

static void own(struct owners *o, const struct qn_prof_table *t, uint32_t *fns)
{
    for (uint32_t fn = 0; fn < o->calls->fn_count; fn++)
        enter(o, fn);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        qn_prof_inlined_into(row.function, strlen(row.function), &o->name);
        fns[i] = owner(o, row.object, row.file, o->name.text);
    }
}

uint32_t *qn_prof_own_rows(const struct qn_prof_table *t, struct qn_prof_calls *calls)
{
    struct owners o = {.calls = calls};
    size_t first = calls->fn_count;
    uint32_t *fns = QN_NEEDED(calloc(qn_prof_table_rows(t) + 1, sizeof *fns));
    own(&o, t, fns);
    choose_files(t, fns, calls, first);
    qn_text_hash_free(&o.index);
    free(o.keys);
    free(o.name.text);
    return fns;
}
