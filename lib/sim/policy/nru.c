/* policy/nru.c - not recently used: one bit per line, which each use sets.  When all bits of the set would be 1, all others are
 * cleared.  The victim is the first way whose bit is 0.
 *
 * Not recently used: one bit per line, set by each use. When all would be set, the others are cleared. The first line whose bit is
 * clear goes.
 *
 *   ABC    A1* B1* C1* .
 *   D      A0 B0 C0 D1*
 *   B      A0 B1* C0 D1*
 *   E      E1* B1* C0 D1*     A was the first with a 0
 *
 * At most 64 ways.
 *
 * Storage: W bits.
 * Source: the reference bit of paging systems; as a cache policy: Sun Microsystems, UltraSPARC T2 supplement to the UltraSPARC
 * architecture, 2007. */
#include "sim/module.h"

#define POLICY "nru"
#define POLICY_SET_STATE uint64_t /* bit per way: used */
#define POLICY_REPEAT_IS_NOOP 1
#define POLICY_SET_SHOWS "used, a bit for each way"
#define POLICY_INIT 1

static const char *policy_init(void) { return sim.ways > 64 ? "at most 64 ways" : NULL; }

static void policy_hit(unsigned set, unsigned way)
{
    uint64_t all = sim.ways == 64 ? ~0ull : (1ull << sim.ways) - 1;

    set_state(set) |= 1ull << way;
    if (set_state(set) == all)
        set_state(set) = 1ull << way;
}

static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }

static unsigned policy_victim(unsigned set)
{
    unsigned way = 0;

    while (way + 1 < sim.ways && (set_state(set) >> way & 1))
        way++;
    return way;
}

static bool policy_settled(unsigned set, unsigned way) { return set_state(set) >> way & 1; }
