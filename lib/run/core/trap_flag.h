/* lib/run/core/trap_flag.h - see trap_flag.c. */
#ifndef QN_RUN_TRAP_FLAG_H
#define QN_RUN_TRAP_FLAG_H

#include "base/base.h"

/* Before and after the dispatcher runs a block of one instruction at ctx.rip, because the running thread's trap flag is set; exit_kind:
 * how it has left.  true: the instruction, or one repetition of it, was executed. */
void qn_trap_flag_before(void);
bool qn_trap_flag_after(uint32_t exit_kind);

#endif
