/*
 * Rows of a CSV that are functions with their inclusive costs, or calls.
 *
 * In:  the tables of calls behind a profile's summary (prof/calls/calls.h); by = inclusive, or call
 * Out: object,file,function,called                                                        /src/demo,/src/demo.c,f,3
 *      object,file,function,line,line_file,callee_object,callee_file,callee,calls         /src/demo,/src/demo.c,main,17,/src/demo.c,...,f,2
 *
 * Invariant: a row for each function, for each edge, in the order of the tables; the counts have the profile's events.
 */
#ifndef QN_OUT_CSV_CALLS_H
#define QN_OUT_CSV_CALLS_H

#include "out/csv/csv.h"
#include "prof/read.h"

enum { QN_OUT_CSV_CALL_CELLS = 9 };

/* The names of the columns between the profile's description and its counts; NULL ends them. */
const char *const *qn_out_csv_call_names(enum qn_out_csv_by by);

/* Hands out the cells of each row and its counts. A profile without calls is an error. */
typedef void qn_out_csv_take_call(void *data, const char *const *cells, const int64_t *counts);
enum qn_text_status qn_out_csv_calls(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *events,
                                     qn_out_csv_take_call *take, void *data, struct qn_text_error *err);

#endif
