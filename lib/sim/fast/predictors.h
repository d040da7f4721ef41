/* lib/sim/fast/predictors.h - the fast versions of branchsim_BC.c and branchsim_BI.c.
 *
 * BC: the same counters; the history is stored as it stands in the index.      BI: the same targets; emitted code knows their address.
 *
 *   fast_BC_init(), fast_BI_init()                       fill qn_fast, for emitted code
 *   fast_BC_ref(pc, taken), fast_BI_ref(pc, target)      true: mispredicted
 */
#include "sim/fast/fast.h"

#define BC_PC_BITS 7
#define BC_HISTORY_BITS 7
#define BC_HISTORY_MASK (((1u << BC_HISTORY_BITS) - 1) << BC_PC_BITS)

static uint8_t BC_counters[1u << (BC_PC_BITS + BC_HISTORY_BITS)];
static uint32_t BC_history; /* shifted left by the bits of the address in the index */
static const uint8_t BC_next[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}}; /* the new value of a counter, after not taken and taken */

static inline unsigned BC_index(uint64_t pc) { return BC_history | (unsigned)(pc & ((1u << BC_PC_BITS) - 1)); }

static inline bool fast_BC_ref(uint64_t pc, bool taken)
{
    uint8_t *counter = &BC_counters[BC_index(pc)];
    bool wrong = (*counter >= 2) != taken;

    *counter = BC_next[taken][*counter];
    BC_history = (BC_history << 1 | (uint32_t)taken << BC_PC_BITS) & BC_HISTORY_MASK;
    return wrong;
}

static void fast_BC_init(void)
{
    qn_fast.BC = (struct qn_fast_BC){
        .counters = (uintptr_t)BC_counters,
        .history = (uintptr_t)&BC_history,
        .next = {(uintptr_t)BC_next[0], (uintptr_t)BC_next[1]},
        .pc_mask = (1u << BC_PC_BITS) - 1,
        .taken = 1u << BC_PC_BITS,
        .history_mask = BC_HISTORY_MASK,
    };
}

#define BI_ENTRIES 512

static uint64_t BI_targets[BI_ENTRIES];

static void fast_BI_init(void) { qn_fast.BI = (struct qn_fast_BI){(uintptr_t)BI_targets, BI_ENTRIES - 1}; }

/* ---- cores: each has its own ---- */

static struct {
    uint8_t counters[sizeof BC_counters];
    uint64_t targets[BI_ENTRIES];
    uint32_t history;
} *predictors_away[QN_CORES_MAX];

static void fast_predictors_turn(uint32_t from, uint32_t to)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned core = i ? to : from;

        if (!predictors_away[core])
            predictors_away[core] = sim_alloc(sizeof **predictors_away);
    }
    __builtin_memcpy(predictors_away[from]->counters, BC_counters, sizeof BC_counters);
    __builtin_memcpy(predictors_away[from]->targets, BI_targets, sizeof BI_targets);
    predictors_away[from]->history = BC_history;
    __builtin_memcpy(BC_counters, predictors_away[to]->counters, sizeof BC_counters);
    __builtin_memcpy(BI_targets, predictors_away[to]->targets, sizeof BI_targets);
    BC_history = predictors_away[to]->history;
}

static inline bool fast_BI_ref(uint64_t pc, uint64_t target)
{
    bool wrong = BI_targets[pc % BI_ENTRIES] != target;

    BI_targets[pc % BI_ENTRIES] = target;
    return wrong;
}
