/* policy/random.c - the victim is a random way, drawn by a seeded generator (--seed; see sim_random).
 *
 * Hits change nothing, so the hit filter may hold every line of the cache.
 * Source: Belady 1966 (see lru.c), there called RAND.
 */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return sim_random(sim.ways);
}
