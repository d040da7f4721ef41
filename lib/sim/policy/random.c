/* policy/random.c - the victim is a random way, drawn by a seeded generator (--seed; see sim_random).
 *
 * Any way, drawn by a generator that starts from `--seed`, so that a run can be repeated. Hits change nothing.
 *
 *   ABCD   A* B* C* D*
 *   E      one of the four goes, each as likely as the others
 *
 * Storage: none per set; one generator.
 * Source: Belady 1966 (see lru), there RAND; the generator: S. Vigna, An experimental exploration of Marsaglia's xorshift generators,
 * scrambled, ACM TOMS 42(4), 2016. */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return sim_random(sim.ways);
}
