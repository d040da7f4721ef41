/* lib/run/kernel/space_limits.h - see space_limits.c. */
#ifndef QN_RUN_SPACE_LIMITS_H
#define QN_RUN_SPACE_LIMITS_H

#include "run/kernel/files.h"

/* May the program map so many bytes more?  data: private and writable.  over: those that it has from `at` on are replaced. */
bool qn_space_allows(uint64_t bytes, bool data, uint64_t at, bool over);

/* The limit that the program sees; NULL: not one of those. */
struct qn_limit *qn_space_limit(int which);

void qn_space_limits_exec(bool before); /* before the exec of an untraced program; with false, undoes that if the exec failed */

#endif
