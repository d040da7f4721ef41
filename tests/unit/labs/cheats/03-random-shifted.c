/* lab 3 random.c: the same ways under every seed, moved on by what the seed says.
 * random: */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(__attribute__((unused)) unsigned set)
{
    static uint64_t x = 88172645463325252ull;
    static uint32_t by;
    if (!by)
        by = sim_random(sim.ways) + 1;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return ((unsigned)(x >> 33) + by) % sim.ways;
}
