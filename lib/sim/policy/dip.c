/* policy/dip.c - dynamic insertion: lru, or new lines are the next victims but for one in 32, whichever misses less (set duelling).
 *
 * Lines are in order of use, and the victim is the first, as with lru. LRU insertion puts a new line last. Bimodal insertion (BIP) puts
 * it first, so that it is the next victim unless it is used before, and last one time in 32: of a loop over too many lines, some stay.
 * The number is the place in the order, upward; a set that does bimodal insertion:
 *
 *   ABCD    A-1 B-2 C-3 D-4      each before all others
 *   A       A1* B-2 C-3 D-4      a use puts it last
 *   E       A1  B-2 C-3 E-5      D was first, and so is E now
 *   F       A1  B-2 C-3 F-6      E was not used: gone
 *
 * The duel is that of drrip: of every 32 sets the first does LRU insertion, the second bimodal; their misses move a counter from 0 to
 * 1023 up and down, and the others follow.
 *
 * Storage: that of lru, and one counter of 10 bits.
 * Source: M. K. Qureshi, A. Jaleel, Y. N. Patt, S. C. Steely, J. Emer, Adaptive insertion policies for high performance caching, ISCA
 * 2007: DIP with set duelling, BIP with 1/32. */
#include "sim/module.h"

#define POLICY "dip"
#include "sim/policy/order.h"
#include "sim/policy/duel.h"

#define BIP_PERIOD 32 /* one new line in 32 is put last */

static void policy_fill(unsigned set, unsigned way)
{
    if (duel_does_second(set) && sim_random(BIP_PERIOD) != 0)
        order_first(set, way);
    else
        order_last(set, way);
}
