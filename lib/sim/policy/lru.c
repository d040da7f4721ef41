/* policy/lru.c - least recently used: the victim is the line that was not used for the longest time.
 *
 *   3 ways, A B C A D:   [A . .] [A B .] [A B C] [A*B C] [A D C]   B was oldest
 *
 * Each way has a 64-bit time stamp.  The default modules implement the same policy with rows; this one shows how a policy
 * does it.  Only the most recently used line of a set is settled: a further hit on it changes nothing.
 * Source: L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966.
 */
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
