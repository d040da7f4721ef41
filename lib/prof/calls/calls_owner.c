/*
 * Rows and the functions they belong to. See calls_owner.h.
 *
 * A function has up to four keys: with and without its object, with and without its file. Of several functions with one key the first counts.
 */
#include "prof/calls/calls_owner.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/table/inlined.h"
#include "prof/table/table.h"
#include "text/names.h"

enum { FIRST_ROOM = 256 };

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

static uint32_t hash_text(const char *text) { return text ? qn_text_hash_bytes(text, strlen(text)) : 0; }

static int same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

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
    QN_MORE(o->keys, o->index.count, o->room, FIRST_ROOM);
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
    fn = qn_prof_add_call_fn(o->calls, object, file, name);
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
    qn_prof_begin_calls(calls, NULL, 0);
    own(&o, t, fns);
    choose_files(t, fns, calls, first);
    qn_text_hash_free(&o.index);
    free(o.keys);
    free(o.name.text);
    return fns;
}
