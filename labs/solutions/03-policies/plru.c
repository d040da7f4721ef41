/* plru.c - lab 3, a solution.  Node n has the children 2n and 2n + 1; leaf of way w is node ways + w.  Bit n: the
 * older half is the right one. */
#include "sim/module.h"

#define POLICY "plru"
#define POLICY_SET_STATE uint64_t /* bit n is node n */

static uint64_t pointed_away(uint64_t tree, unsigned way)
{
    for (unsigned node = sim.ways + way; node > 1; node /= 2)
        if (node % 2)
            tree &= ~(1ull << node / 2);
        else
            tree |= 1ull << node / 2;
    return tree;
}

static void policy_hit(unsigned set, unsigned way) { set_state(set) = pointed_away(set_state(set), way); }
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }

static unsigned policy_victim(unsigned set)
{
    unsigned node = 1;

    while (node < sim.ways)
        node = 2 * node + (set_state(set) >> node & 1);
    return node - sim.ways;
}

static bool policy_settled(unsigned set, unsigned way) { return pointed_away(set_state(set), way) == set_state(set); }
