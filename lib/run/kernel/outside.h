/* lib/run/kernel/outside.h - see outside.c. */
#ifndef QN_RUN_OUTSIDE_H
#define QN_RUN_OUTSIDE_H

#include "run/run.h"

void qn_outside_writes(void);           /* from now on code of this process may change at any time */
void qn_outside_opened(long fd);        /* call it when the guest has opened a file for writing */
void qn_outside_ptrace(const long *a);  /* call it before the guest's ptrace */
bool qn_outside_is_debugged(void);      /* by a program that runs under quern */

#endif
