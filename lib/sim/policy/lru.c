/* policy/lru.c - least recently used: the victim is the line that was not used for the longest time.
 *
 * Least recently used: the line whose last use is longest ago goes. The number is the time of the last use.
 *
 *   A      A1* .  .  .
 *   BCD    A1  B2 C3 D4*
 *   A      A5* B2 C3 D4
 *   E      A5  E6* C3 D4      B was oldest
 *
 * Never worse with more ways (inclusion). Loses everything in a loop over one line more than fits.
 *
 * Storage: an order of W things, at least log2(W!) bits; 5 for 4 ways, 16 for 8.
 * Source: L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966. */
#include "sim/module.h"

#define POLICY "lru"
#define POLICY_WAY_STATE uint64_t /* time of last use */
#define POLICY_SET_STATE uint64_t /* the latest time in the set */
#define POLICY_ONE_SETTLED 1
#define POLICY_WAY_SHOWS "time of last use"

static void policy_hit(unsigned set, unsigned way)
{
    if (way_state(set, way) != set_state(set))
        way_state(set, way) = ++set_state(set);
}

static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = ++set_state(set); }

static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0;
    uint64_t time = way_state(set, 0);

    for (unsigned way = 1; way < sim.ways; way++) {
        bool older = way_state(set, way) < time;

        oldest = older ? way : oldest;
        time = older ? way_state(set, way) : time;
    }
    return oldest;
}

static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == set_state(set); }
