/* drrip.c - lab 13, a solution for variants (PERIOD and SETS are defined before it): srrip or brrip, whichever misses less. */
#include "sim/module.h"

#define POLICY "drrip"
#define POLICY_WAY_STATE uint8_t /* how far away the next use is expected to be */

enum { SOON = 0, LONG = 2, DISTANT = 3 };

static unsigned selector = 511, fills;

static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = SOON; }

static void policy_fill(unsigned set, unsigned way)
{
    unsigned place = set % SETS;
    bool brrip = place == 1 || (place != 0 && selector > 511);

    if (place == 0)
        selector += selector < 1023;
    if (place == 1)
        selector -= selector > 0;
    way_state(set, way) = !brrip || ++fills % PERIOD == 0 ? LONG : DISTANT;
}

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
