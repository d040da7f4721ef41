/* opt.c - Belady's optimal replacement: the line that is used again last leaves.  In `quern replay` only.
 *
 * sim_next_use() is the number of the next reference to the line that is being referenced now, UINT64_MAX if there is
 * none: the replay reads the trace twice.
 */
#include "sim/module.h"

#define POLICY "opt"
#define POLICY_WAY_STATE uint64_t /* way_state(set, way): zero at first */
#define QN_SIM_FUTURE 1

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return 0; /* TODO */
}

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
