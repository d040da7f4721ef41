/*
 * Rows of a CSV that are misses by line and object in memory, pairs of objects, or bytes used of parts of objects.
 *
 * In:  the tables of data behind a profile's summary (prof/data/data.h); by = data
 * Out: kind,data,data_file,data_line,data_function,type,part,file,function,line     heap,malloc,/a.c,9,make,struct node,next,/a.c,walk,20
 *
 *      by = pair: the cells of the object that misses, those of the object for which its lines were evicted, misses, conflict misses
 *      by = used: the object's cells, part, its bytes in lines that were filled for the object, how many of these were used
 *
 * Invariant: a row for each of the tables'; the counts have the profile's events, those that the tables do not have are 0.  Rows of pairs
 * and parts have no events.
 */
#ifndef QN_OUT_CSV_DATA_H
#define QN_OUT_CSV_DATA_H

#include "out/columns.h"
#include "out/csv/csv_calls.h"

/* The names of the columns, up to NULL. by: DATA, PAIR or USED. */
const char *const *qn_out_csv_data_names(enum qn_out_csv_by by);

/* The columns of counts, of those events of the profile that are counted by object; show NULL: all of them. */
enum qn_text_status qn_out_csv_data_columns(struct qn_out_columns *c, const struct qn_prof_header *events, const char *show, struct qn_text_error *err);

/* Hands out the cells of each row and its counts. A profile without the tables is an error. */
enum qn_text_status qn_out_csv_data(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *events, qn_out_csv_take_call *take, void *data,
                                    struct qn_text_error *err);

#endif
