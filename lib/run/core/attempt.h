/* lib/run/core/attempt.h - see attempt.c. */
#ifndef QN_RUN_ATTEMPT_H
#define QN_RUN_ATTEMPT_H

#include "run/run.h"

enum qn_attempt { QN_ATTEMPT_FNSTENV16, QN_ATTEMPT_FNSAVE16, QN_ATTEMPT_XSAVE, QN_ATTEMPT_XSAVE64, QN_ATTEMPT_XSAVEC, QN_ATTEMPT_XSAVEC64,
                  QN_ATTEMPT_XRSTOR, QN_ATTEMPT_XRSTOR64, QN_ATTEMPT_FXRSTOR64,
                  QN_ATTEMPT_PROBE /* writes a byte back: can the guest write there? */ };

/* Executes the instruction with the guest's memory at this address (any address) as its operand; components: edx:eax, for the xsave
 * family.  false: it faulted, and nothing has changed except bytes that the processor has stored before the fault. */
bool qn_attempt(enum qn_attempt what, uint64_t at, uint64_t components);

/* The processor executes what is at this address, with the guest's registers.  true: one instruction was completed, and may have changed
 * anything but general registers; false: it faulted. */
bool qn_attempt_code(uint64_t at);

/* The same for n bytes of the guest's, of which the processor finds no more than these: n is below QN_INSN_MAX_LEN where memory behind
 * them cannot be fetched. */
bool qn_attempt_bytes(const uint8_t *bytes, unsigned n);

/* After an attempt has faulted: raises the same fault for the guest, at ctx.rip. */
void qn_attempt_raise(void);

/* The fault of the last attempt. */
struct qn_fault {
    struct qn_siginfo info;
    uint64_t ip, err, trap, cr2; /* cr2: if it is a page fault */
};
extern struct qn_fault qn_attempt_fault;

/* For the signal handler: did the attempt of an instruction fault here?  Then execution continues behind the attempt. */
bool qn_attempt_takes(const struct qn_siginfo *info, struct qn_ucontext *uc);

#endif
