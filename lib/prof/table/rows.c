/*
 * Count rows in pieces. See rows.h.
 *
 * In:  appends
 * Out: stable rows; memory grows by one piece at a time
 */
#include "prof/table/rows.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/ready.h"
#include "prof/counts.h"

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
