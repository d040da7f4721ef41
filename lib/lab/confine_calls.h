/* lib/lab/confine_calls.h - system calls that a student's code may not make. */
#ifndef QN_LAB_CONFINE_CALLS_H
#define QN_LAB_CONFINE_CALLS_H

#include "base/base.h"

/* From now on they fail with EPERM, in this process and all that come from it.  may_fork: new processes and threads
 * are allowed. true also where the kernel has no seccomp. */
bool qn_lab_refuse_calls(bool may_fork, bool may_split);
bool qn_lab_can_refuse_calls(void);

#endif
