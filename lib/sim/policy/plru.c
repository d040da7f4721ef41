/* policy/plru.c - pseudo-LRU by a binary tree over the ways: ways-1 bits per set, each pointing to the older half.
 *
 *   4 ways, after A B C D:  root points left, its left child to A, its right child to C;  a miss replaces A
 *
 *          root 1              bit of node n: 0 = the older half is the left one (node 2n), 1 = the right (2n+1)
 *         /      \             leaves: node ways + way
 *     node 2    node 3
 *     A    B    C    D
 *
 * A reference sets every bit on the path to its way, so that it points to the other half.  A second hit on the same way
 * finds these bits set already, so it changes nothing.
 * The number of ways must be a power of two, at most 64.
 * Source: K. So, R. N. Rechtschaffen, Cache operations by MRU change, IEEE Trans. Computers 37(6), 1988.
 */
#include "sim/module.h"

#define POLICY "plru"
#define POLICY_SET_STATE uint64_t /* bit n = node n */
#define POLICY_ONE_SETTLED 1
#define POLICY_INIT 1
#define POLICY_SET_SHOWS "tree bits"

static const char *policy_init(void)
{
    return sim.ways > 64 || (sim.ways & (sim.ways - 1)) ? "the number of ways must be a power of two, at most 64" : NULL;
}

static void policy_hit(unsigned set, unsigned way)
{
    for (unsigned node = sim.ways + way; node > 1; node /= 2) {
        uint64_t bit = 1ull << node / 2;

        if (node & 1) /* a right child: the left half is older */
            set_state(set) &= ~bit;
        else
            set_state(set) |= bit;
    }
}

static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }

static unsigned policy_victim(unsigned set)
{
    unsigned node = 1;

    while (node < sim.ways)
        node = 2 * node + (set_state(set) >> node & 1);
    return node - sim.ways;
}

static bool policy_settled(unsigned set, unsigned way)
{
    for (unsigned node = sim.ways + way; node > 1; node /= 2)
        if ((set_state(set) >> node / 2 & 1) == (node & 1))
            return false;
    return true;
}
