/* nru.c - lab 3, a solution. */
#include "sim/module.h"

#define POLICY "nru"
#define POLICY_SET_STATE uint64_t /* a bit per way: used */

static void policy_hit(unsigned set, unsigned way)
{
    uint64_t all = ~0ull >> (64 - sim.ways);

    set_state(set) |= 1ull << way;
    if (set_state(set) == all)
        set_state(set) = 1ull << way;
}

static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }

static unsigned policy_victim(unsigned set)
{
    unsigned way = 0;

    while (set_state(set) >> way & 1)
        way++;
    return way;
}

static bool policy_settled(unsigned set, unsigned way) { return set_state(set) >> way & 1; }
