/*
 * The rows of a CSV: those of a table, or sums of them.
 *
 * In:  rows by line (and instruction) of one profile; by = function
 * Out: take(data, {object, file, function}, sums) for each function, in order
 *
 * Invariants: the counts handed out add up to the table's totals, whatever `by` is. A profile without
 * rows gives one, whose place has NULL for all its texts, so that its metadata are not lost.
 */
#ifndef QN_OUT_CSV_ROWS_H
#define QN_OUT_CSV_ROWS_H

#include "out/csv/csv.h"
#include "out/csv/csv_head.h"
#include "prof/table/table.h"

typedef void qn_out_csv_take(void *data, const struct qn_prof_row *place, const int64_t *counts);

/* Sorts the table and hands out the rows. */
enum qn_text_status qn_out_csv_rows(struct qn_prof_table *t, enum qn_out_csv_by by, int events,
                                    qn_out_csv_take *take, void *data, struct qn_text_error *err);

/* Room for the longest cell that is not a name: an instruction. */
enum { QN_OUT_CSV_PLACE_TEXT = 256 };

/* Whether rows of this kind say where they are in this way, and the cell. */
int qn_out_csv_has_place(enum qn_out_csv_by by, enum qn_out_csv_column column);
const char *qn_out_csv_place_text(const struct qn_prof_row *place, enum qn_out_csv_column column,
                                  char room[QN_OUT_CSV_PLACE_TEXT]);

#endif
