/* policy/brrip.c - bimodal re-reference interval prediction: most new lines are the next victims, and one in 32 stays longer. So part
 * of a working set that is larger than the cache stays in it.
 *
 * Bimodal re-reference interval prediction: as srrip, but a new line gets 3, and only one in 32, drawn by the seeded generator, gets
 * 2. So a part of a working set that does not fit remains.
 *
 *   A      A3  .  .  .
 *   A      A0* .  .  .
 *   BCD    A0* B3 C3 D3
 *   EFG    A0* G3 C3 D3       new lines replace each other
 *
 * Storage: 2 W bits, and one generator.
 * Source: as srrip, ISCA 2010. */
#include "sim/module.h"

#define POLICY "brrip"
#include "sim/policy/rrip.h"

static void policy_fill(unsigned set, unsigned way)
{
    way_state(set, way) = sim_random(BRRIP_PERIOD) == 0 ? RRIP_LONG : RRIP_DISTANT;
}
