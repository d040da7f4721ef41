/* lab 13 mine.c: whatever way chance gives, without a bit of memory.
 * mine */
#include "sim/module.h"

#define POLICY "mine"

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { return (void)set, sim_random(sim.ways); }
static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, true; }
