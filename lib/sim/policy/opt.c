/* policy/opt.c - Belady's optimal replacement: the victim is the line whose next use is farthest in the future, or that has none.
 * Replay only.
 *
 * Belady's optimal replacement: the line that is used again last, or never, goes. It must know the future, so it runs in `quern
 * replay` only, in I1 and D1. The number is when the line is used next.
 *
 *   ABCD then E A B C D:
 *   E      A5 B6 C7 E-        D would be used last, so it goes
 *
 * No policy misses less. 1 2 3 4 1 2 5 1 2 3 4 5 misses 7 times with three ways and 6 times with four.
 *
 * Storage: the future.
 * Source: Belady 1966 (see lru), there MIN. */
#include "sim/module.h"

#ifndef QN_SIM_HOSTED
#error "opt needs to know the future: it runs in `quern replay` only"
#endif

#define POLICY "opt"
#define POLICY_WAY_STATE uint64_t /* number of the next reference to the line, UINT64_MAX = none */
#define QN_SIM_FUTURE 1

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }

static unsigned policy_victim(unsigned set)
{
    unsigned last = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) > way_state(set, last))
            last = way;
    return last;
}

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
