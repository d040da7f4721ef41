/* policy/lfu.c - least frequently used: a counter for each line counts its uses since its fill.  The victim is the line with the
 * smallest counter; among equal ones, the first way.
 *
 * Least frequently used: a counter of uses per line since it came; the smallest goes, the first of several.
 *
 *   AAB    A2 B1 .  .
 *   CCD    A2 B1 C2 D1
 *   E      A2 E1 C2 D1        B and D are used least; B is first
 *
 * Counters stop at a maximum; a line that stands there is settled. A line that was used much long ago stays long.
 *
 * Options: `lfu-max` (255), the maximum.
 * Storage: W counters, 8 bits each with the default maximum.
 * Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger, Evaluation techniques for storage hierarchies, IBM Systems Journal
 * 9(2), 1970. */
#include "sim/module.h"

#define POLICY "lfu"
#define POLICY_WAY_STATE uint32_t /* uses */
#define POLICY_INIT 1
#define POLICY_WAY_SHOWS "uses"

static uint32_t most;

static const char *policy_init(void)
{
    most = (uint32_t)sim_option_within(sim.slot, POLICY, "lfu-max", 255, 1, UINT32_MAX);
    return NULL;
}

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) += way_state(set, way) < most; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = 1; }

static unsigned policy_victim(unsigned set)
{
    unsigned least = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) < way_state(set, least))
            least = way;
    return least;
}

static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == most; }
