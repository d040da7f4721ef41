/* lib/run/kernel/locked.h - see locked.c. */
#ifndef QN_RUN_LOCKED_H
#define QN_RUN_LOCKED_H

#include "run/run.h"

long qn_sys_mlockall(long flags);
long qn_sys_munlockall(void);

int qn_locked_flag(void);                          /* flag for mmap of the program's new mappings */
void qn_locked_note(uint64_t start, uint64_t size); /* call it after a new mapping of the program */

#endif
