/* lib/run/core/attempt.h - see attempt.c. */
#ifndef QN_RUN_ATTEMPT_H
#define QN_RUN_ATTEMPT_H

#include "base/base.h"

enum qn_attempt { QN_ATTEMPT_FNSTENV16, QN_ATTEMPT_FNSAVE16, QN_ATTEMPT_XSAVE, QN_ATTEMPT_XSAVE64, QN_ATTEMPT_XSAVEC, QN_ATTEMPT_XSAVEC64 };

/* Run the instruction, with the program's memory at this address (any) as operand and edx:eax = components (of the xsave family).
 * false: the processor has refused; the signal that it means is on its way, and nothing has changed but what the processor may have
 * stored before it met the fault. */
bool qn_attempt(enum qn_attempt what, uint64_t at, uint64_t components);

/* For the handler of signals: a fault in [qn_attempt_begin, qn_attempt_end) goes on at qn_attempt_failed. */
extern char qn_attempt_begin[], qn_attempt_end[], qn_attempt_failed[];

#endif
