/* random.c - lab 3, a solution. */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1 /* hits change nothing: there is no policy_hit and no policy_settled */

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return sim_random(sim.ways);
}
