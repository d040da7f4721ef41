/* random.c - any line leaves, by chance.
 *
 * sim.ways: lines in a set.  Ways are filled in the order 0, 1, 2, ...; policy_victim is asked only when its set is
 * full.
 */
#include "sim/module.h"

#define POLICY "random"
#define POLICY_HIT_IS_NOOP 1 /* hits change nothing: there is no policy_hit and no policy_settled */

static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return 0; /* TODO: sim_random(n) is 0 to n - 1 */
}
