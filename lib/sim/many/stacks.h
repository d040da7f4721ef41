/* lib/sim/many/stacks.h - LRU caches, by stacks; see caches.c, which includes it.
 *
 * Caches with the same line size and number of sets share one stack for each set: a cache of n ways holds its first n lines.
 * A node is a line size and a number of sets.  A reference goes through the nodes of a line size in order of their number of
 * sets, smallest first:
 *
 *   sets  4: [A B C D]   B: depth 1    a miss with one way, a hit with two and more
 *   sets  8: [A C] [B]   B: depth 0    so it is first in its set of 16, 32, ... sets, too: nothing more to do
 *
 * rows.h moves the rows, by the best vector instructions of the processor.
 *
 * If B is first in its set, no other line of that set was referenced since B.  The sets of a cache with more sets are parts of this
 * set, so B is first there, too, and a further hit on it changes nothing.  For the same reason, policies for which a repeated hit
 * changes nothing need not be called.
 * Source: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970; M. D. Hill, A. J.
 * Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989 (forest simulation).
 */
#include "sim/fast/rows.h"

uint64_t many_rows[MANY_ROWS] __attribute__((aligned(128)));
uint64_t many_missed_at[MANY_DEPTHS];
const uint32_t many_node_count = MANY_NODES;

ROWS_INLINE unsigned stack_move(enum qn_vectors with, uint64_t *row, unsigned ways, uint64_t line)
{
    return ways > ROW_WORDS_MAX ? row_search(row, ways, line) : row_depth(row_move(with, row, ways, line));
}

/* Entries of the log are rarely first in their set of node 0, and moving such a row anyway changes nothing; so this needs no jump. */
#ifdef MANY_LOGS
#define IS_NEW(i) ((i) == 0 && many_nodes[0].ways <= ROW_WORDS_MAX)
#else
#define IS_NEW(i) false
#endif

/* Is node i the first of its line size? */
ALWAYS_INLINE bool begins_class(unsigned i) { return i == 0 || many_nodes[i - 1].line_bits != many_nodes[i].line_bits; }

/* A reference within one line of each size, between rows_begin and rows_end.  Returns a bit for each D1 that missed.  Adds to `ask`
 * the policies that have to be called. */
ALWAYS_INLINE uint64_t stacks_ref(enum qn_vectors with, uint64_t addr, uint64_t *ask)
{
    uint64_t missed = 0;
    bool stop = false;

#pragma GCC unroll 64
    for (unsigned i = 0; i < MANY_NODES; i++) {
        const struct many_node *node = &many_nodes[i];
        uint64_t line = addr >> node->line_bits;
        uint64_t *row = many_rows + node->rows + (line & (node->sets - 1)) * node->ways;

        if (begins_class(i)) {
            rows_take(with, line + 1);
            stop = false;
        }
        stop = stop || (!IS_NEW(i) && row[0] == line + 1);
        if (stop && !SEVERAL_LINES)
            break;
        if (stop)
            continue;
        missed |= many_missed_at[node->depths + stack_move(with, row, node->ways, line + 1)];
        *ask |= node->members;
    }
    return missed;
}
