/* policy/drrip.c - dynamic re-reference interval prediction: srrip or brrip, whichever has fewer misses (set dueling).
 *
 * Dynamic re-reference interval prediction: srrip or brrip, whichever misses less. Of every 32 sets the first always does as srrip,
 * the second as brrip; their misses move a counter from 0 to 1023 up and down; the others follow.
 *
 *   a miss in set 0      counter 511 -> 512      srrip's leader missed: above 511 the others do as brrip
 *   a miss in set 1      counter 512 -> 511      brrip's leader missed: they do as srrip
 *
 * A cache of fewer than 32 sets duels with its first and last.
 *
 * Storage: 2 W bits, and one counter of 10 bits.
 * Source: as srrip, ISCA 2010; set dueling: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely, J. Emer, Adaptive insertion policies for high
 * performance caching, ISCA 2007. */
#include "sim/module.h"

#define POLICY "drrip"
#include "sim/policy/rrip.h"
#include "sim/policy/duel.h"

static void policy_fill(unsigned set, unsigned way)
{
    way_state(set, way) = !duel_does_second(set) || sim_random(BRRIP_PERIOD) == 0 ? RRIP_LONG : RRIP_DISTANT;
}
