/* policy/fifo.c - first in, first out: the victim is the line that was filled first.
 *
 * First in, first out: the line that came first goes, used or not. The number is the way that is filled next.
 *
 *   ABCD   A0* B0* C0* D0*
 *   AAA    A0* B0* C0* D0*    hits change nothing
 *   E      E1* B1* C1* D1*    A came first
 *
 * More ways may miss more often: 1 2 3 4 1 2 5 1 2 3 4 5 misses 9 times with three ways and 10 times with four.
 *
 * Storage: log2(W) bits.
 * Source: Belady 1966 (see lru); the anomaly: L. A. Belady, R. A. Nelson, G. S. Shedler, CACM 12(6), 1969. */
#include "sim/module.h"

#define POLICY "fifo"
#define POLICY_SET_STATE uint32_t /* the way to fill next */
#define POLICY_HIT_IS_NOOP 1
#define POLICY_SET_SHOWS "way filled next"

static void policy_fill(unsigned set, unsigned way) { set_state(set) = way + 1 == sim.ways ? 0 : way + 1; }
static unsigned policy_victim(unsigned set) { return set_state(set); }
