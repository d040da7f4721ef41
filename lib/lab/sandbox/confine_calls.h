/* lib/lab/sandbox/confine_calls.h - system calls that a student's code may not make. */
#ifndef QN_LAB_CONFINE_CALLS_H
#define QN_LAB_CONFINE_CALLS_H

#include "base/base.h"

/* From now on they fail with EPERM, in this process and its descendants.  may_fork: new processes and threads
 * are allowed; may_split: fork only.  true also if the kernel has no seccomp. */
bool qn_lab_refuse_calls(bool may_fork, bool may_split);
bool qn_lab_can_refuse_calls(void);

#endif
