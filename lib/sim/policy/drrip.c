/* policy/drrip.c - dynamic re-reference interval prediction: srrip or brrip, whichever has fewer misses (set dueling).
 *
 * Of every 32 sets, the first always uses srrip and the second always uses brrip.  A miss in the first kind increments a
 * 10-bit counter, a miss in the second decrements it.  All other sets use the policy with fewer misses.  In a cache of fewer
 * than 32 sets, the first set and the last one duel.
 * Source: rrip.h (Jaleel et al., ISCA 2010); set dueling: M. K. Qureshi et al., Adaptive insertion policies for high
 * performance caching, ISCA 2007.
 */
#include "sim/module.h"

#define POLICY "drrip"
#include "sim/policy/rrip.h"

#define SELECTOR_MAX 1023
#define DUEL_SETS 32 /* one leader of each kind in so many sets */

static unsigned selector = SELECTOR_MAX / 2; /* above this: the sets that use srrip missed more often */

enum leader { FOLLOWS, LEADS_SRRIP, LEADS_BRRIP };

static enum leader leader_of(unsigned set)
{
    unsigned period = sim.sets < DUEL_SETS ? sim.sets : DUEL_SETS;
    unsigned second = sim.sets < DUEL_SETS ? period - 1 : 1;

    return set % period == 0 ? LEADS_SRRIP : set % period == second ? LEADS_BRRIP : FOLLOWS;
}

static void policy_fill(unsigned set, unsigned way)
{
    enum leader leader = leader_of(set);
    bool brrip = leader == LEADS_BRRIP || (leader == FOLLOWS && selector > SELECTOR_MAX / 2);

    if (leader == LEADS_SRRIP)
        selector += selector < SELECTOR_MAX;
    else if (leader == LEADS_BRRIP)
        selector -= selector > 0;
    way_state(set, way) = !brrip || sim_random(BRRIP_PERIOD) == 0 ? RRIP_LONG : RRIP_DISTANT;
}
