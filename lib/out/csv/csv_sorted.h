/*
 * Rows of a profile whose lines are in the order of the CSV already, as those that `quern run` and Cachegrind write.
 *
 * In:  fl=a.c / fn=f / 3 1 / 4 2 / fn=g / 1 5
 * Out: take(data, {???, a.c, f, 3}, {1}), ...: the rows that a table of them would give, without the table
 *
 * The profile is read twice: once to see that it is in order, and for its totals, which stand in each row; once for the rows.
 */
#ifndef QN_OUT_CSV_SORTED_H
#define QN_OUT_CSV_SORTED_H

#include "out/csv/csv_rows.h"
#include "prof/read.h"

/* 1: lines are in ascending order by file, function and number, and no function is in two objects; `totals` are their
 * sums, one per event.  0: they are not, or the input can be read only once.  -1: `err` is filled. */
int qn_out_csv_is_sorted(const char *path, int64_t *totals, int events, struct qn_text_error *err);

/* Hands out the rows.  QN_TEXT_BAD: what is read is not what qn_out_csv_is_sorted has seen. */
enum qn_text_status qn_out_csv_sorted_rows(struct qn_prof_reader *r, const char *path, const int64_t *totals, qn_out_csv_take *take,
                                           void *data, struct qn_text_error *err);

#endif
