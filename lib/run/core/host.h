/* lib/run/core/host.h - see host.c. */
#ifndef QN_RUN_HOST_H
#define QN_RUN_HOST_H

#include "base/base.h"
#include "cost/arena.h"

/* The features of the processor that the engine uses. */
enum qn_host_feature { QN_HOST_XSAVE, QN_HOST_AVX, QN_HOST_BMI1, QN_HOST_AVX2, QN_HOST_BMI2, QN_HOST_AVX512F, QN_HOST_AVX512BW, QN_HOST_AVX512VL };

struct qn_host_answer { uint32_t r[4]; }; /* by number: eax, ecx, edx, ebx */

struct qn_host_answer qn_host_ask(uint32_t leaf, uint32_t subleaf); /* cpuid */
uint64_t qn_host_xgetbv(uint32_t which);
uint64_t qn_host_xcr0(void); /* 0: there is no xgetbv */
bool qn_host_has_subleaves(uint32_t leaf);
/* The masks of this leaf in `cpu`; NULL: it has none. */
const uint32_t *qn_host_kept(const struct qn_cpu *cpu, uint32_t leaf, uint32_t subleaf);

bool qn_host_has(enum qn_host_feature f);    /* may the engine use it? */
bool qn_host_serves(enum qn_host_feature f); /* may the guest or the engine use it? */
enum qn_vectors qn_host_vectors(void);       /* the vector instructions that the engine may use */
uint64_t qn_host_state(void);                /* components of XCR0 with registers that the guest may use; 0: no xsave, only x87 and SSE */

#endif
