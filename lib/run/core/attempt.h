/* lib/run/core/attempt.h - see attempt.c. */
#ifndef QN_RUN_ATTEMPT_H
#define QN_RUN_ATTEMPT_H

#include "base/base.h"

enum qn_attempt { QN_ATTEMPT_FNSTENV16, QN_ATTEMPT_FNSAVE16, QN_ATTEMPT_XSAVE, QN_ATTEMPT_XSAVE64, QN_ATTEMPT_XSAVEC, QN_ATTEMPT_XSAVEC64,
                  QN_ATTEMPT_XRSTOR, QN_ATTEMPT_XRSTOR64 };

/* Executes the instruction with the guest's memory at this address (any address) as its operand; components: edx:eax, for the xsave
 * family.  false: it faulted.  Then the signal is pending, and nothing has changed except bytes that the processor has stored before
 * the fault. */
bool qn_attempt(enum qn_attempt what, uint64_t at, uint64_t components);

/* For the signal handler: after a fault in [qn_attempt_begin, qn_attempt_end), execution continues at qn_attempt_failed. */
extern char qn_attempt_begin[], qn_attempt_end[], qn_attempt_failed[];

#endif
