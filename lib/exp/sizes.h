/* lib/exp/sizes.h - reads misses of D1s of other sizes from the log of one run, as rows of a sweep of D1.size.  See sizes.c. */
#ifndef QN_EXP_SIZES_H
#define QN_EXP_SIZES_H

#include "text/csv.h"

/* Does the first line look like that of a log? */
bool qn_exp_is_log(const char *path);

/* Reads the rows that the analysis `sizes` printed for the log's first process; none if it was not on.  `t` is initialised and empty.
 * counting: of that run, "" if not known. */
enum qn_text_status qn_exp_read_sizes(struct qn_text_table *t, const char *log, const char *counting, struct qn_text_error *err);

#endif
