/* policy/plru.c - pseudo-LRU by binary trees over the ways: each node points to its older half.
 *
 *   4 ways, after A B C D:  root points left, its left child to A, its right child to C;  a miss replaces A
 *
 *          root 1              node n: 0 = the older half is the left one (node 2n), 1 = the right (2n+1)
 *         /      \             leaves: nodes 4 to 7
 *     node 2    node 3
 *     A    B    C    D
 *
 * A reference sets every node on the path to its way, so that it points to the other half.  A second hit on the same way
 * finds these nodes set already, so it changes nothing.
 * Where the number of ways is no power of two, the largest power of two that divides it is the size of a tree: 12 ways are three trees
 * of 4.  The victim is in the tree that was not used for the longest time.  Intel's 12-way L1 data caches do the same (LRU3PLRU4).
 * Sources: K. So, R. N. Rechtschaffen, Cache operations by MRU change, IEEE Trans. Computers 37(6), 1988; A. Abel, J. Reineke,
 * nanoBench: A low-overhead tool for running microbenchmarks on x86 systems, ISPASS 2020.
 */
#include "sim/module.h"

#define POLICY "plru"
#define POLICY_WAY_STATE uint64_t /* of a tree's first way: the time of the tree's last use; of the n-th way behind it: node n */
#define POLICY_SET_STATE uint64_t /* the latest time in the set */
#define POLICY_ONE_SETTLED 1
#define POLICY_INIT 1
#define POLICY_SET_SHOWS "tree bits"
#define policy_show_set(set) tree_bits(set)

static unsigned leaves; /* ways of a tree */

static const char *policy_init(void)
{
    leaves = sim.ways & -sim.ways;
    return NULL;
}

static unsigned first_way(unsigned way) { return way - way % leaves; }

static void turn(unsigned set, unsigned way)
{
    unsigned first = first_way(way);

    for (unsigned node = leaves + way - first; node > 1; node /= 2)
        way_state(set, first + node / 2) = !(node & 1); /* a left child: the right half is older */
}

static void policy_hit(unsigned set, unsigned way)
{
    turn(set, way);
    if (way_state(set, first_way(way)) != set_state(set))
        way_state(set, first_way(way)) = ++set_state(set);
}

static void policy_fill(unsigned set, unsigned way)
{
    turn(set, way);
    way_state(set, first_way(way)) = ++set_state(set);
}

static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0, node = 1;

    for (unsigned first = leaves; first < sim.ways; first += leaves)
        if (way_state(set, first) < way_state(set, oldest))
            oldest = first;
    while (node < leaves)
        node = 2 * node + (unsigned)way_state(set, oldest + node);
    return oldest + node - leaves;
}

static bool policy_settled(unsigned set, unsigned way)
{
    unsigned first = first_way(way);

    for (unsigned node = leaves + way - first; node > 1; node /= 2)
        if (way_state(set, first + node / 2) == (node & 1))
            return false;
    return way_state(set, first) == set_state(set);
}

/* The nodes of the first 64 ways: bit n = node n; of a second tree of 4, bit 4 + n, and so on. */
static inline uint64_t tree_bits(unsigned set)
{
    uint64_t bits = 0;

    for (unsigned way = 0; way < sim.ways && way < 64; way++)
        if (way % leaves)
            bits |= way_state(set, way) << way;
    return bits;
}
