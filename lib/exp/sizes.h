/* lib/exp/sizes.h - misses of D1s of other sizes out of the log of one run, as rows of a sweep of D1.size.  See sizes.c. */
#ifndef QN_EXP_SIZES_H
#define QN_EXP_SIZES_H

#include "exp/table.h"

/* Is it a log, by its first line? */
bool qn_exp_is_log(const char *path);

/* The rows that the analysis `sizes` makes of the log's first process; none if it did not look on.  `t` is initialised and empty.
 * counting: of that run, "" if not known. */
enum qn_text_status qn_exp_read_sizes(struct qn_exp_table *t, const char *log, const char *counting, struct qn_text_error *err);

#endif
