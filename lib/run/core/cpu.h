/* lib/run/core/cpu.h - see cpu.c. */
#ifndef QN_RUN_CPU_H
#define QN_RUN_CPU_H

#include "base/base.h"
#include "cost/arena.h"
#include "decode/decode.h"

void qn_cpu_init(void); /* before the first block */
uint64_t qn_cpu_state(void); /* XCR0 as the guest sees it */
uint32_t qn_cpu_state_bytes(uint64_t components, bool compact); /* the size of the area that xsave, or xsavec, writes for these */
void qn_cpu_cpuid(void);
/* Executes the xgetbv, xsave, xsaveopt, xsavec or xrstor at ctx.rip; false: a signal is pending. */
bool qn_cpu_tell_state(const struct qn_insn *in);
uint64_t qn_cpu_hwcap(unsigned word, uint64_t hwcap); /* AT_HWCAP, AT_HWCAP2 (word 1, 2) as the kernel gave them */

#endif
