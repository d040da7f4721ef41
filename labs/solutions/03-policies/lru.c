/* lru.c - lab 3, a solution: a clock for all, and the time of the last use of each line. */
#include "sim/module.h"

#define POLICY "lru"
#define POLICY_WAY_STATE uint64_t /* time of the last use */

static uint64_t now;

/* The newest of its set stays the newest: one more hit changes nothing. */
static bool policy_settled(unsigned set, unsigned way)
{
    for (unsigned other = 0; other < sim.ways; other++)
        if (way_state(set, other) > way_state(set, way))
            return false;
    return true;
}

static void policy_hit(unsigned set, unsigned way)
{
    if (!policy_settled(set, way))
        way_state(set, way) = ++now;
}

static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = ++now; }

static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) < way_state(set, oldest))
            oldest = way;
    return oldest;
}
