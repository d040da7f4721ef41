/*
 * The tables behind the summaries of profiles, calls and data: read, and added up or subtracted.
 *
 *   struct qn_prof_tables t = { .mod_file = ..., .mod_fn = ... };
 *   qn_prof_sum_tables(&t, QN_PROF_ALL_TABLES, path, 0, err); ...  qn_prof_finish_tables(&t, left_out, sizeof left_out);
 *   qn_prof_put_tables(w, &t);                  behind the summary of the sum
 *
 * Rules: each row once (schema.c says what its key is). Tables of calls that not all profiles have are left out, and `left_out` says so,
 * because a sum of some would look like that of all. A profile without tables of data adds none; rows of data that are 0 are left out, and so are
 * objects without rows. Objects of another build, whose source lines have moved, are different ones. Calls of a region are not known.
 */
#ifndef QN_PROF_TABLES_H
#define QN_PROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "prof/tables/calls.h"
#include "prof/tables/data.h"
#include "text/error.h"
#include "text/subst.h"

/* Reads the tables of a profile; without them there are no functions, or no objects.  QN_TEXT_BAD also of calls if a region was chosen
 * (prof/read.h), because they are not counted by region. */
enum qn_text_status qn_prof_read_calls(const char *path, struct qn_prof_calls *calls, struct qn_text_error *err);
enum qn_text_status qn_prof_read_data(const char *path, struct qn_prof_data *data, struct qn_text_error *err);

enum qn_prof_which_tables { QN_PROF_ALL_TABLES, QN_PROF_CALLS_ONLY, QN_PROF_DATA_ONLY };

struct qn_prof_tables {
    const struct qn_text_subst *mod_file, *mod_fn; /* changes to names, or NULL: set before the first is added */
    struct qn_prof_calls calls;
    struct qn_prof_data data;
    int inputs, with_calls, with_nodes; /* profiles; how many of them have such tables */
    const char *of_region;              /* if a region was chosen: the first profile that has calls */
    const char *without_calls, *without_nodes; /* the first profile without such tables */
};

/* Zero the struct, but for the changes, then add. */
enum qn_text_status qn_prof_sum_tables(struct qn_prof_tables *t, enum qn_prof_which_tables which, const char *path, int negate,
                                       struct qn_text_error *err);

/* Call this when all are added. `left_out`, of `room` bytes, becomes empty, or says what was left out and why. */
void qn_prof_finish_tables(struct qn_prof_tables *t, char *left_out, size_t room);

void qn_prof_put_tables(struct qn_prof_writer *w, struct qn_prof_tables *t);
void qn_prof_free_tables(struct qn_prof_tables *t);

#endif
