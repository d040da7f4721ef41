/* lib/sim/branchsim_BI.c - Cachegrind's predictor of indirect branch targets.
 *
 * 512 last targets, indexed by the low nine bits of the branch's address, start at 0.  Storage: 512 * 64 bits.
 */
#include "sim/contract.h"

#define BI_ENTRIES 512

static uint64_t BI_targets[BI_ENTRIES];

/* Where the targets are: translated code does the same by itself. */
static inline struct qn_bi_table branchsim_BI_inline(void) { return (struct qn_bi_table){(uintptr_t)BI_targets, BI_ENTRIES - 1}; }

static inline uint64_t branchsim_BI_target(uint64_t pc) { return BI_targets[pc % BI_ENTRIES]; }
static inline void branchsim_BI_learn(uint64_t pc, uint64_t target) { BI_targets[pc % BI_ENTRIES] = target; }
