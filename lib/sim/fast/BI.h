/* lib/sim/fast/BI.h - the fast version of branchsim_BI.c: the same targets; emitted code knows their address.
 *
 *   fast_BI_init()
 *   fast_BI_ref(pc, target)    true: mispredicted
 */
#include "sim/fast/fast.h"

#define BI_ENTRIES 512

static uint64_t BI_targets[BI_ENTRIES];

static void fast_BI_init(void) { qn_fast.BI = (struct qn_fast_BI){(uintptr_t)BI_targets, BI_ENTRIES - 1}; }

static inline bool fast_BI_ref(uint64_t pc, uint64_t target)
{
    bool wrong = BI_targets[pc % BI_ENTRIES] != target;

    BI_targets[pc % BI_ENTRIES] = target;
    return wrong;
}
