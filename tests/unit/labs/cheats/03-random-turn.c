/* lab 3 random.c: each way in turn, from one that depends on the seed.
 * random: */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(__attribute__((unused)) unsigned set)
{
    static uint32_t next;
    if (!next)
        next = sim_random(sim.ways) + 1;
    return (next++ - 1) % sim.ways;
}
