/* lib/run/cpu.h - see cpu.c. */
#ifndef QN_RUN_CPU_H
#define QN_RUN_CPU_H

#include "base/base.h"
#include "cost/arena.h"
#include "decode/decode.h"

enum { QN_CPU_AVX2 = 1 << 5, QN_CPU_BMI2 = 1 << 8, QN_CPU_AVX512F = 1 << 16, QN_CPU_AVX512BW = 1 << 30, QN_CPU_AVX512VL = 1u << 31 };

void qn_cpu_init(void); /* before the first block */
uint32_t qn_cpu_features(void); /* of the processor itself: leaf 7 of CPUID, ebx, as QN_CPU_... */
enum qn_vectors qn_cpu_vectors(void); /* what the processor has and the kernel lets programs use; AVX-512: F, BW and VL */
uint64_t qn_cpu_enabled(void); /* XCR0 as it is */
uint32_t qn_cpu_enabled_bytes(void); /* of the area that xsave fills with all of it */
uint64_t qn_cpu_state(void); /* XCR0 as the program is shown it */
uint32_t qn_cpu_state_bytes(uint64_t components, bool compact); /* of the area that xsave, or xsavec, fills with these */
void qn_cpu_cpuid(void);
/* xgetbv, xsave, xsaveopt, xsavec at ctx.rip; false: a signal is on its way. */
bool qn_cpu_tell_state(const struct qn_insn *in);
uint64_t qn_cpu_hwcap(unsigned word, uint64_t hwcap); /* AT_HWCAP, AT_HWCAP2 (word 1, 2) as the kernel gave them */

#endif
