/* lib/run/observe/interval.h - see interval.c. */
#ifndef QN_RUN_INTERVAL_H
#define QN_RUN_INTERVAL_H

#include "base/base.h"

/* Instructions of the current interval that are left; 0 or less: it ends before the next one that is counted. */
extern int64_t qn_interval_left;

void qn_interval_init(void);

/* Translated code has come to a block that is longer than what is left.  Returns how many instructions of it the interval
 * still has, after recording it if it has none; 0: the next interval has begun, look again. */
unsigned qn_interval_cut(void);

#endif
