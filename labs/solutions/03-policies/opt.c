/* opt.c - lab 3, a solution. */
#include "sim/module.h"

#define POLICY "opt"
#define POLICY_WAY_STATE uint64_t /* number of the next reference */
#define QN_SIM_FUTURE 1

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }

static unsigned policy_victim(unsigned set)
{
    unsigned last = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) > way_state(set, last))
            last = way;
    return last;
}

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return false;
}
