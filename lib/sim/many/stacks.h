/* lib/sim/many/stacks.h - least recently used, by stacks; see caches.c, which includes it.
 *
 * Caches with the same line and number of sets need one stack per set, because a cache of n ways holds its first n lines.
 * Stacks of the same line are asked in order of their number of sets, smallest first (a node each):
 *
 *   sets  4: [A B C D]   B: depth 1    misses in one way, hits in two and more
 *   sets  8: [A C] [B]   B: depth 0    so it is first in every set of 16, 32, ... too: nothing more to do
 *
 * Rows of four and of eight lines are searched and moved by vectors.h where the processor can do that.
 *
 * If B is first in its set, no other line of that set was referenced since; sets of a cache with more sets are parts
 * of it, so it is first there as well, and another hit of the first line changes nothing.  For the same reason policies for which
 * a repeated hit changes nothing need not be asked.
 * Source: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970; M. D. Hill, A. J.
 * Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989 (forest simulation).
 */
uint64_t many_rows[MANY_ROWS] __attribute__((aligned(64)));
uint64_t many_missed_at[MANY_DEPTHS];
const uint32_t many_node_count = MANY_NODES;

/* How many lines of the row are newer than this one; `ways` if it is not there.  It moves to the front.  The first
 * line of the row is another. */
ALWAYS_INLINE unsigned move_by_word(uint64_t *row, unsigned ways, uint64_t line)
{
    uint64_t carried = row[0];
    unsigned depth;

    row[0] = line;
#pragma GCC unroll 16
    for (depth = 1; depth < ways; depth++) {
        uint64_t here = row[depth];

        row[depth] = carried;
        if (here == line)
            break;
        carried = here;
    }
    return depth;
}

/* The same of two lines, without a jump that nobody could predict. */
ALWAYS_INLINE unsigned move_of_two(uint64_t *row, uint64_t line)
{
    unsigned depth = 2 - (row[1] == line);

    row[1] = row[0];
    row[0] = line;
    return depth;
}

#ifdef MANY_VECTORS
const bool many_has_vectors = true;
#include "sim/many/vectors.h"
#else
const bool many_has_vectors = false;
#define VECTOR_WAYS(ways) false
ALWAYS_INLINE void vectors_begin(void) {}
ALWAYS_INLINE void vectors_end(void) {}
ALWAYS_INLINE void vectors_take(uint64_t line) { (void)line; }
ALWAYS_INLINE unsigned move_by_vector(uint64_t *row, unsigned ways) { return (void)row, ways; }
#endif

/* Returns the place, see many.h. */
ALWAYS_INLINE unsigned stack_move(uint64_t *row, unsigned ways, uint64_t line)
{
    return VECTOR_WAYS(ways) ? move_by_vector(row, ways) : ways == 2 ? move_of_two(row, line) : move_by_word(row, ways, line);
}

/* What the log has was not first in the smallest way, or hardly ever, and to a vector that makes no difference. */
#ifdef MANY_LOGS
#define IS_NEW(i) ((i) == 0 && VECTOR_WAYS(many_nodes[0].ways))
#else
#define IS_NEW(i) false
#endif

/* Is node i the first of its line size? */
ALWAYS_INLINE bool begins_class(unsigned i) { return i == 0 || many_nodes[i - 1].line_bits != many_nodes[i].line_bits; }

/* A reference within one line of each size, between vectors_begin and vectors_end.  Returns which D1s missed; adds to `ask` the
 * policies that have to be asked. */
ALWAYS_INLINE uint64_t stacks_ref(uint64_t addr, uint64_t *ask)
{
    uint64_t missed = 0;
    bool stop = false;

#pragma GCC unroll 64
    for (unsigned i = 0; i < MANY_NODES; i++) {
        const struct many_node *node = &many_nodes[i];
        uint64_t line = addr >> node->line_bits;
        uint64_t *row = many_rows + node->rows + (line & (node->sets - 1)) * node->ways;

        if (begins_class(i)) {
            vectors_take(line + 1);
            stop = false;
        }
        stop = stop || (!IS_NEW(i) && row[0] == line + 1);
        if (stop && !SEVERAL_LINES)
            break;
        if (stop)
            continue;
        missed |= many_missed_at[node->depths + stack_move(row, node->ways, line + 1)];
        *ask |= node->members;
    }
    return missed;
}
