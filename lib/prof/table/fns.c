/*
 * Numbered pairs of file and function. See fns.h.
 *
 * In:  pairs of interned ids, with or without an object
 * Out: dense function numbers; ranks in order of (file name, function name, object)
 */
#include "prof/table/fns.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ready.h"
#include "prof/counts.h"
#include "text/radix.h"

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
    fns->fn[id] = (struct qn_prof_fn){file, name, object};
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
