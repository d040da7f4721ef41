/*
 * Functions as a profile knows them: a pair of file name and function name, numbered. Where objects
 * (files of code) are known, the same pair in two of them is two functions.
 *
 * In:  ("a.c", "main"), ("b.h", "main"), ("a.c", "main")
 * Out: 0, 1, 0; file id and name id of each
 *
 * Invariants: one number per pair and object; object, file and function names are interned in
 * separate sets.
 */
#ifndef QN_PROF_FNS_H
#define QN_PROF_FNS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/counts.h"
#include "text/names.h"

struct qn_prof_fns {
    struct qn_text_names files;
    struct qn_text_names names;
    struct qn_text_names objects;
    struct qn_text_hash index;
    struct qn_prof_fn {
        uint32_t file, name; /* ids in `files` and `names` */
        uint32_t object;     /* id in `objects`, or QN_TEXT_NO_ID: not known */
    } *fn;                   /* by function number */
    uint32_t room;
};

/* The number of the pair (in the object), made where it is new. */
uint32_t qn_prof_fn_of(struct qn_prof_fns *fns, uint32_t file, uint32_t name, uint32_t object);

static inline uint32_t qn_prof_fn_count(const struct qn_prof_fns *fns)
{
    return fns->index.count;
}

static inline const char *qn_prof_fn_file(const struct qn_prof_fns *fns, uint32_t fn)
{
    return qn_text_name(&fns->files, fns->fn[fn].file);
}

static inline const char *qn_prof_fn_name(const struct qn_prof_fns *fns, uint32_t fn)
{
    return qn_text_name(&fns->names, fns->fn[fn].name);
}

static inline const char *qn_prof_fn_object(const struct qn_prof_fns *fns, uint32_t fn)
{
    uint32_t object = fns->fn[fn].object;
    return object == QN_TEXT_NO_ID ? "???" : qn_text_name(&fns->objects, object);
}

/* An array (by function) of its place by file name, function name, object. free() it. */
uint32_t *qn_prof_rank_fns(const struct qn_prof_fns *fns);

void qn_prof_free_fns(struct qn_prof_fns *fns);

/* ---- rows of counts: a growing array that never moves and never doubles ----
 *
 * In:  qn_prof_new_row(&rows) -> a row with every count QN_PROF_NONE
 * Out: qn_prof_row(&rows, i)
 *
 * Invariants: rows live in pieces of QN_PROF_ROWS_PIECE; a row's address stays the same.
 */

enum { QN_PROF_ROWS_SHIFT = QN_PROF_ROWS_LOG2, QN_PROF_ROWS_PIECE = 1 << QN_PROF_ROWS_SHIFT };

struct qn_prof_rows {
    int events;
    size_t count;
    int64_t **pieces;
    size_t room; /* pieces that `pieces` can hold */
};

/* Appends one row. */
int64_t *qn_prof_new_row(struct qn_prof_rows *rows);

static inline int64_t *qn_prof_row(const struct qn_prof_rows *rows, size_t i)
{
    return rows->pieces[i >> QN_PROF_ROWS_SHIFT] +
           (i & (QN_PROF_ROWS_PIECE - 1)) * (size_t)rows->events;
}

void qn_prof_free_rows(struct qn_prof_rows *rows);

#endif
