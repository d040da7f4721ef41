/* policy/plru.c - pseudo-LRU by binary trees over the ways: each node points to its older half.
 *
 * Pseudo-LRU by a binary tree: each node points to its older half, a use turns the nodes on its way to the other side. The victim is
 * where the nodes point.
 *
 *           1               node 1 points right (>) after a use on the left
 *         /   \
 *        2     3
 *       A B   C D
 *
 *   A      1> 2> 3<    A* . . .
 *   BCD    1< 2< 3<    A B C D*
 *   A      1> 2> 3<    A* B C D      the right half is older, and in it C
 *   E      1< 2> 3>    A B E* D
 *
 * The victim is never the line used last, but not always the oldest one. Where W is no power of two, the largest power of two that
 * divides it is the size of a tree, and the victim is in the tree that was not used for the longest time: 12 ways are three trees of
 * 4, as in the 12-way L1 data caches of Intel's processors since Ice Lake; 7 ways are seven trees of one way, which is lru.
 *
 * Storage: W - 1 bits; 3 for 4 ways, 7 for 8. T trees: W - T bits, and the order of the trees; for 12 ways 9 bits and 3.
 * Source: K. So, R. N. Rechtschaffen, Cache operations by MRU change, IEEE Transactions on Computers 37(6), 1988; A. Abel, J. Reineke,
 * nanoBench: A low-overhead tool for running microbenchmarks on x86 systems, ISPASS 2020 (there LRU3PLRU4). */
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
