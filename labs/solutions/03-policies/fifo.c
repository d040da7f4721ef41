/* fifo.c - lab 3, a solution: ways are filled in turn, so the next victim is one behind the last fill. */
#include "sim/module.h"

#define POLICY "fifo"
#define POLICY_SET_STATE uint32_t /* the next victim */

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { set_state(set) = (way + 1) % sim.ways; }
static unsigned policy_victim(unsigned set) { return set_state(set); }

static bool policy_settled(unsigned set, unsigned way)
{
    (void)set, (void)way;
    return true; /* hits change nothing */
}
