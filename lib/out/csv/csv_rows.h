/*
 * The rows of a CSV: what a profile has, or sums of it.
 *
 * In:  rows by line (and instruction) of one profile; by = function
 * Out: take(data, {place}, sums) for each function, in order
 *
 * A row hands out the records of the profile from which its cells are taken; kinds[] of csv_write.c says which cells these are:
 *
 *   by                 records
 *   program ... insn   the place, struct qn_prof_row
 *   thread             struct qn_prof_thread, NULL: what belongs to none
 *   inclusive          the function, struct qn_prof_call_fn
 *   call               the caller; struct qn_prof_call_edge; the callee; the name of the file of the line
 *   data               struct qn_prof_object; its part, NULL: not known; struct qn_prof_miss
 *   pair               the object that misses; that for which its lines were evicted; struct qn_prof_pair
 *   used               the object; its part; struct qn_prof_use
 *
 * Invariants: by program to insn the counts handed out add up to the table's totals. A profile without rows gives one, whose place is NULL,
 * so that its metadata are not lost. By call and data there is a row for each of the tables'; the counts have the profile's events, those that
 * the tables do not have are 0. Pairs and parts have no counts.
 */
#ifndef QN_OUT_CSV_ROWS_H
#define QN_OUT_CSV_ROWS_H

#include "out/columns.h"
#include "out/csv/csv.h"
#include "prof/read.h"
#include "prof/table/table.h"

enum { QN_OUT_CSV_RECORDS = 4 };
typedef void qn_out_csv_take(void *data, const void *const records[QN_OUT_CSV_RECORDS], const int64_t *counts);

/* Sorts the table and hands out the rows by program, object, file, function, line or instruction. */
enum qn_text_status qn_out_csv_rows(struct qn_prof_table *t, enum qn_out_csv_by by, int events, qn_out_csv_take *take, void *data,
                                    struct qn_text_error *err);

/* The sums of threads, as numbered; and, if there is any, the rest of the profile's totals. */
enum qn_text_status qn_out_csv_threads(const char *path, const int64_t *totals, qn_out_csv_take *take, void *data, struct qn_text_error *err);

/* Functions with inclusive costs, or calls. A profile without calls is an error. */
enum qn_text_status qn_out_csv_calls(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *events,
                                     qn_out_csv_take *take, void *data, struct qn_text_error *err);

/* Misses by line and object in memory, pairs of objects, or bytes used of parts of objects. A profile without these is an error. */
enum qn_text_status qn_out_csv_data(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *events, qn_out_csv_take *take,
                                    void *data, struct qn_text_error *err);

/* The columns of counts, of those events of the profile that are counted by object; show NULL: all of them. */
enum qn_text_status qn_out_csv_data_columns(struct qn_out_columns *c, const struct qn_prof_header *events, const char *show, struct qn_text_error *err);

#endif
