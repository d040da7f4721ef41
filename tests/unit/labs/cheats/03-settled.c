/* lab 3 lru.c over the solution: no line is ever settled.
 * settled lines */
#include "sim/module.h"

#define POLICY "lru"
#define POLICY_WAY_STATE uint64_t

static uint64_t now;

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = ++now; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = ++now; }

static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) < way_state(set, oldest))
            oldest = way;
    return oldest;
}

static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, false; }
