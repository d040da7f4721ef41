/* lab 3 random.c: a generator of its own, begun by quern's.
 * random: */
#include "sim/module.h"

#define POLICY "random"

static uint64_t x;

static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, true; }

static unsigned policy_victim(unsigned set)
{
    (void)set;
    while (!x)
        x = (uint64_t)sim_random(1u << 30) << 30 | sim_random(1u << 30);
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (unsigned)(x >> 33) % sim.ways;
}
