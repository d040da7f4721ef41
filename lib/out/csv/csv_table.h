/*
 * A CSV file record by record.
 *
 * In:  a,"b ""c""",\r\n1,2,3\r\n
 * Out: {"a", "b \"c\"", ""} of line 1, {"1", "2", "3"} of line 2
 *
 * Invariants: RFC 4180 strictly, except that lines may end with LF too and a byte order mark at the
 * start is passed over; blank lines are no records. Cells hold no NUL byte and are valid until the next
 * call. Blanks belong to their cells. Where the last column is QN_PROF_ROWS_COLUMN, a file with other than so many rows is refused.
 */
#ifndef QN_OUT_CSV_TABLE_H
#define QN_OUT_CSV_TABLE_H

#include <stddef.h>

#include "text/error.h"

struct qn_out_csv_table;

struct qn_out_csv_record {
    const char *const *cells;
    int count;
    long line; /* where it begins, from 1 */
};

/* NULL with `err` filled on failure. "-" is standard input. */
struct qn_out_csv_table *qn_out_open_csv(const char *path, struct qn_text_error *err);
void qn_out_close_csv(struct qn_out_csv_table *t);

/* 1 and a record; 0 at the end; -1 with `err` filled. */
int qn_out_next_record(struct qn_out_csv_table *t, struct qn_out_csv_record *record,
                       struct qn_text_error *err);

#endif
