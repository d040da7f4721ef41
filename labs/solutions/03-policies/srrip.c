/* srrip.c - lab 3, a solution. */
#include "sim/module.h"

#define POLICY "srrip"
#define POLICY_WAY_STATE uint8_t /* how far away the next use is expected to be */

enum { SOON = 0, LATE = 2, NEVER = 3 };

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = SOON; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = LATE; }

static unsigned policy_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = 0; way < sim.ways; way++)
            if (way_state(set, way) == NEVER)
                return way;
        for (unsigned way = 0; way < sim.ways; way++)
            way_state(set, way)++;
    }
}

static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == SOON; }
