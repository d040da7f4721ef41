/* drrip.c - see HANDOUT.md.  So far it is srrip (lab 3): all sets do the same. */
#include "sim/module.h"

#define POLICY "drrip"
#define POLICY_WAY_STATE uint8_t /* how far away the next use is expected to be */

enum { SOON = 0, LONG = 2, DISTANT = 3 };

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = SOON; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = LONG; /* TODO */ }

static unsigned policy_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = 0; way < sim.ways; way++)
            if (way_state(set, way) == DISTANT)
                return way;
        for (unsigned way = 0; way < sim.ways; way++)
            way_state(set, way)++;
    }
}

static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == SOON; }
