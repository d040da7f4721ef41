/* lib/run/kernel/seccomp/seccomp.h - see seccomp.c. */
#ifndef QN_RUN_SECCOMP_H
#define QN_RUN_SECCOMP_H

#include "base/base.h"

/* Do the filters allow the call?  If not, *r is its result in the guest's rax; a signal may be pending. */
bool qn_seccomp_allows(long nr, const long *a, long *r);
long qn_sys_seccomp(const long *a);
long qn_sys_prctl_seccomp(const long *a); /* prctl(PR_SET_SECCOMP, ...) */

/* seccomp_pass.c: just before execve; t may not hold the lock any more. */
struct qn_thread;
struct qn_seccomp_filter;
struct qn_arena_header;
void qn_seccomp_exec_untraced(const struct qn_thread *t);
void qn_seccomp_save(const struct qn_seccomp_filter *filters, struct qn_arena_header *fresh);
void qn_seccomp_restore(void); /* the filters that were in force before execve */

#endif
