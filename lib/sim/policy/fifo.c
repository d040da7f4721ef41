/* policy/fifo.c - first in, first out: the victim is the line that was filled first.
 *
 *   3 ways, A B C A D:   [A . .] [A B .] [A B C] [A B C] [D B C]   A was filled first, although it was used last
 *
 * Hits change nothing, so the hit filter may hold every line of the cache.
 * Source: Belady 1966 (see lru.c); its anomaly (more frames, more misses): Belady, Nelson, Shedler, CACM 12(6), 1969.
 */
#include "sim/module.h"

#define POLICY "fifo"
#define POLICY_SET_STATE uint32_t /* the way to fill next */
#define POLICY_HIT_IS_NOOP 1
#define POLICY_SET_SHOWS "way filled next"

static void policy_fill(unsigned set, unsigned way) { set_state(set) = way + 1 == sim.ways ? 0 : way + 1; }
static unsigned policy_victim(unsigned set) { return set_state(set); }
