/* lib/sim/branchsim_BC.c - Cachegrind's conditional branch predictor.
 *
 * 2^14 two-bit counters that start at 0 and predict taken from 2 on.  The index joins the last seven
 * outcomes with the low seven bits of the branch's address.  Storage: 2 * 2^14 + 7 bits.
 *
 *   branchsim_BC_predict(pc)        1 = taken; never sees the outcome
 *   branchsim_BC_update(pc, taken)  follows at once
 *   branchsim_BC_inline()           where this is kept: translated code does the same by itself
 */
#include "sim/contract.h"

#define BC_PC_BITS 7
#define BC_HISTORY_BITS 7
#define BC_HISTORY_MASK (((1u << BC_HISTORY_BITS) - 1) << BC_PC_BITS)

static uint8_t BC_counters[1u << (BC_PC_BITS + BC_HISTORY_BITS)];
static uint32_t BC_history; /* above the bits of the address, where the index wants it */
static const uint8_t BC_next[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}}; /* of a counter, after not taken and taken */

static inline unsigned BC_index(uint64_t pc) { return BC_history | (unsigned)(pc & ((1u << BC_PC_BITS) - 1)); }

static inline unsigned branchsim_BC_predict(uint64_t pc) { return BC_counters[BC_index(pc)] >= 2; }

static inline void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint8_t *counter = &BC_counters[BC_index(pc)];

    *counter = BC_next[taken][*counter];
    BC_history = (BC_history << 1 | taken << BC_PC_BITS) & BC_HISTORY_MASK;
}

static inline struct qn_bc_tables branchsim_BC_inline(void)
{
    return (struct qn_bc_tables){
        .counters = (uintptr_t)BC_counters,
        .history = (uintptr_t)&BC_history,
        .next = {(uintptr_t)BC_next[0], (uintptr_t)BC_next[1]},
        .pc_mask = (1u << BC_PC_BITS) - 1,
        .taken = 1u << BC_PC_BITS,
        .history_mask = BC_HISTORY_MASK,
    };
}
