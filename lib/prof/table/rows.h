/*
 * A growing array of count rows that never moves and never doubles.
 *
 * In:  qn_prof_new_row(&rows) -> a row with every count QN_PROF_NONE
 * Out: qn_prof_row(&rows, i)
 *
 * Invariants: rows live in pieces of QN_PROF_ROWS_PIECE; a row's address stays the same.
 */
#ifndef QN_PROF_ROWS_H
#define QN_PROF_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/sizes.h"

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
