/* policy/brrip.c - bimodal re-reference interval prediction: most new lines are the next victims, and one in 32 stays longer.
 * So part of a working set that is larger than the cache stays in it.
 *
 * Source and rules: rrip.h (Jaleel et al., ISCA 2010); "one in 32" is drawn by the seeded generator.
 */
#include "sim/module.h"

#define POLICY "brrip"
#include "sim/policy/rrip.h"

static void policy_fill(unsigned set, unsigned way)
{
    way_state(set, way) = sim_random(BRRIP_PERIOD) == 0 ? RRIP_LONG : RRIP_DISTANT;
}
