/* lib/run/core/attempt.c - executes an instruction of the guest in the engine, on the guest's memory.
 *
 *   qn_attempt(QN_ATTEMPT_FNSTENV16, at, 0)     the processor stores 14 bytes at this address: true
 *                                               it faults: false, and SIGSEGV or SIGBUS is pending
 *
 * The engine uses the same instruction as the guest, so a handler sees the processor's own fault (signal, code, address, error code).
 * The reported address, and the number of bytes stored before the fault, differ between processors.  While the engine runs, vector and
 * x87 state are the guest's; the general registers are not.
 */
#include "run/core/attempt.h"

#include "run/kernel/signal/signal.h"
#include "run/run.h"

/* rdi: address, edx:eax: components; rax: 1, or after a fault 0. */
#define ATTEMPT(name, insn) ".globl " #name "\n" #name ": mov %esi, %eax\n " insn "\n mov $1, %eax\n ret\n"

__asm__(".globl qn_attempt_begin, qn_attempt_end, qn_attempt_failed\n"
        "qn_attempt_begin:\n" /* clang-format off */
        ATTEMPT(qn_attempt_fnstenv16, ".byte 0x66; fnstenv (%rdi)")
        ATTEMPT(qn_attempt_fnsave16, ".byte 0x66; fnsave (%rdi)")
        ATTEMPT(qn_attempt_xsave, "xsave (%rdi)")
        ATTEMPT(qn_attempt_xsave64, "xsave64 (%rdi)")
        ATTEMPT(qn_attempt_xsavec, "xsavec (%rdi)")
        ATTEMPT(qn_attempt_xsavec64, "xsavec64 (%rdi)")
        ATTEMPT(qn_attempt_xrstor, "xrstor (%rdi)")
        ATTEMPT(qn_attempt_xrstor64, "xrstor64 (%rdi)") /* clang-format on */
        "qn_attempt_end:\n"
        "qn_attempt_failed: xor %eax, %eax\n"
        " ret");

typedef bool attempt(uint64_t at, uint32_t low, uint32_t high);
attempt qn_attempt_fnstenv16, qn_attempt_fnsave16, qn_attempt_xsave, qn_attempt_xsave64, qn_attempt_xsavec, qn_attempt_xsavec64,
    qn_attempt_xrstor, qn_attempt_xrstor64;

bool qn_attempt(enum qn_attempt what, uint64_t at, uint64_t components)
{
    static attempt *const how[] = {qn_attempt_fnstenv16, qn_attempt_fnsave16, qn_attempt_xsave,
                                   qn_attempt_xsave64, qn_attempt_xsavec, qn_attempt_xsavec64,
                                   qn_attempt_xrstor, qn_attempt_xrstor64};

    if (how[what](at, (uint32_t)components, (uint32_t)(components >> 32)))
        return true;
    qn_signal_raise_noted();
    return false;
}
