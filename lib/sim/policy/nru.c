/* policy/nru.c - not recently used: one bit per line, which each use sets.  When all bits of the set would be 1, all others
 * are cleared.  The victim is the first way whose bit is 0.
 *
 *   4 ways full, bits 1 1 0 1, use of the third: all would be set, so 0 0 1 0;  the next victim is the first way
 *
 * At most 64 ways.  A hit on a line whose bit is set changes nothing.
 * Source: the reference bit of paging systems; as a cache policy the UltraSPARC T2 supplement, Sun Microsystems 2007.
 */
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
