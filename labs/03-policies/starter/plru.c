/* plru.c - pseudo-LRU by a tree of bits.  The number of ways is a power of two, at most 64.
 *
 * sim.ways: lines in a set.  Ways are filled in the order 0, 1, 2, ...; policy_victim is asked only when its set is
 * full.
 */
#include "sim/module.h"

#define POLICY "plru"
#define POLICY_SET_STATE uint64_t /* set_state(set): bit n is node n */

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; /* TODO */ }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    return 0; /* TODO */
}

/* Would one more hit on this way, now, change nothing?  false is always right, and slow. */
static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
