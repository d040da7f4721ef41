/* policy/opt.c - Belady's optimal replacement: the victim is the line whose next use is farthest in the future, or that has none.
 * Replay only.
 *
 * Belady's optimal replacement: the line that is used again last, or never, goes. It must know the future, so it runs in `quern
 * replay` only, in I1 and D1. The number is when the line is used next.
 *
 *   ABCD then E A B C D:
 *   E      A5 B6 C7 E-        D would be used last, so it goes
 *
 * No policy misses less that has to bring in what misses. With `opt-bypass=1` a new line that would be used after all lines of its set is not brought
 * in, which is the least of all. 1 2 3 4 1 2 5 1 2 3 4 5 misses 7 times with three ways and 6 times with four.
 *
 * Options: `opt-bypass` (0 or 1).
 * Storage: the future.
 * Source: Belady 1966 (see lru), there MIN. */
#include "sim/module.h"

#ifndef QN_SIM_HOSTED
#error "opt needs to know the future: it runs in `quern replay` only"
#endif

#define POLICY "opt"
#define POLICY_INIT 1
#define POLICY_BYPASSES 1
#define POLICY_WAY_STATE uint64_t /* number of the next reference to the line, UINT64_MAX = none */
#define QN_SIM_FUTURE 1

static uint64_t next_of_new; /* of the line that misses, once policy_bypass has asked for it */
static bool bypasses, has_asked;

static const char *policy_init(void)
{
    bypasses = sim_option_within(sim.slot, POLICY, "opt-bypass", 0, 0, 1) != 0;
    return NULL;
}

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }

static void policy_fill(unsigned set, unsigned way)
{
    way_state(set, way) = has_asked ? next_of_new : sim_next_use();
    has_asked = false;
}

static bool policy_bypass(unsigned set)
{
    next_of_new = sim_next_use();
    has_asked = true;
    for (unsigned way = 0; way < sim.ways; way++)
        if (!bypasses || way_state(set, way) >= next_of_new)
            return false;
    has_asked = false;
    return true;
}

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
