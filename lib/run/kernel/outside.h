/* lib/run/kernel/outside.h - see outside.c. */
#ifndef QN_RUN_OUTSIDE_H
#define QN_RUN_OUTSIDE_H

#include "run/run.h"

void qn_outside_writes(void);           /* from now on code of this process may change at any time */
void qn_outside_opened(long fd);        /* the guest has opened something for writing */
void qn_outside_ptrace(const long *a);  /* it is about to make this call */
bool qn_outside_is_debugged(void);      /* by a program that runs under quern */

#endif
