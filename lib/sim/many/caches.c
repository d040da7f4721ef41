/* lib/sim/many/caches.c - slot D1 of a build that simulates many caches at once; see many.h.
 *
 *   stacks         least recently used, below           fetches.c       the LLs below, and what is rarely executed here
 *   members        policies, in units of their own (member.h)
 *
 * The hit filter holds a line if a hit on it changes nothing in any cache: it is the most recently used of its set in the cache
 * with the fewest sets, and so in all LRU caches, and every policy for which repeated hits matter says that it is settled.
 */
#include "sim/fast/rows.h"
#include "sim/many/many.h"

#define MANY_CACHES 1
#include QN_MANY_TABLE

#define LEVEL "many"
#define LEVEL_OWN_FILTER 1
#define LEVEL_FINISH 1

#define D1_COUNT (sizeof many_D1 / sizeof many_D1[0])
#define SEVERAL_LINES (many_nodes[0].line_bits != many_nodes[MANY_NODES - 1].line_bits)

_Static_assert(D1_COUNT <= MANY_MAX, "more members than bits");

/* ---- least recently used, by stacks ----
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
 * Smith, Evaluating associativity in CPU caches, IEEE Trans. Computers 38(12), 1989 (forest simulation). */

uint64_t many_rows[MANY_ROWS] __attribute__((aligned(128)));
uint64_t many_missed_at[MANY_DEPTHS];
const uint32_t many_node_count = MANY_NODES;

ROWS_INLINE unsigned stack_move(enum qn_vectors with, uint64_t *row, unsigned ways, uint64_t line)
{
    return ways > ROW_WORDS_MAX ? row_search(row, ways, line) : row_depth(row_move(with, row, ways, line));
}

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
        stop = stop || row[0] == line + 1;
        if (stop && !SEVERAL_LINES)
            break;
        if (stop)
            continue;
        missed |= many_missed_at[node->depths + stack_move(with, row, node->ways, line + 1)];
        *ask |= node->members;
    }
    return missed;
}

/* ---- the hit filter ----
 *
 * Its sets are those of the smallest number of sets and the longest line, so each is a union of sets of every cache.  With one line
 * size, each set has one entry.  Otherwise each line has one, and at most one line of a set is in the table. */

#define FILTER_ENTRIES (1u << 16)

static struct qn_filter_entry filter[FILTER_ENTRIES] __attribute__((aligned(4096)));
static struct {
    uint32_t mask, set_bits, set_mask;
    uint64_t *newest; /* by set, with several line sizes: the line that is in the table */
} pass;

/* sim.line is the smallest of all. */
static struct qn_filter cachesim_D1_filter(const struct sim_config *config)
{
    uint32_t line = 0, way = UINT32_MAX, sets;

    for (unsigned d = 0; d < D1_COUNT; d++) {
        line = many_D1[d].line > line ? many_D1[d].line : line;
        way = many_D1[d].size / many_D1[d].ways < way ? many_D1[d].size / many_D1[d].ways : way;
    }
    sets = way > line ? way / line : 1;
    pass.set_bits = qn_log2(line);
    pass.set_mask = sets - 1;
    pass.mask = (SEVERAL_LINES || sets > FILTER_ENTRIES ? FILTER_ENTRIES : sets) - 1;
    pass.newest = sim_alloc(sets * 8);
    for (uint32_t i = 0; i < FILTER_ENTRIES; i++)
        filter[i].line = QN_NO_LINE;
    return qn_filter_of(filter, pass.mask + 1, config->line);
}

/* ---- references ---- */

ALWAYS_INLINE uint32_t filter_index(uint64_t line) { return line >> many_nodes[0].line_bits & pass.mask; }

static inline bool is_settled(uint64_t line)
{
    for (uint64_t m = MANY_MINDS; m; m &= m - 1)
        if (!many_D1[__builtin_ctzll(m)].member->settled(line))
            return false;
    return true;
}

ALWAYS_INLINE void let_pass(uint64_t line)
{
    if (SEVERAL_LINES) {
        uint64_t *newest = &pass.newest[line >> pass.set_bits & pass.set_mask];

        filter[filter_index(*newest)].line = QN_NO_LINE;
        *newest = line;
    }
    filter[filter_index(line)].line = !MANY_MINDS || is_settled(line) ? line : QN_NO_LINE;
}

ALWAYS_INLINE uint64_t one_line(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t ask = MANY_MINDS, missed;

    if (qn_sim_vectors.with == QN_VECTORS_AVX512) { /* with AVX2 there are too many registers to save for one reference */
        rows_begin(QN_VECTORS_AVX512, true);
        missed = stacks_ref(QN_VECTORS_AVX512, addr, &ask);
        rows_end(QN_VECTORS_AVX512, true);
    } else {
        missed = stacks_ref(QN_VECTORS_SCALAR, addr, &ask);
    }
    if (ask)
        missed |= many_ask(ask, addr, size, kind);
    let_pass(addr & ~(uint64_t)(sim.line - 1));
    return missed;
}

static __attribute__((noinline)) uint64_t several_lines(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t missed = many_ref_long(MANY_MINDS, addr, size, kind);

    for (uint64_t line = addr & ~(uint64_t)(sim.line - 1); line < addr + size; line += sim.line)
        let_pass(line);
    return missed;
}

static void cachesim_D1_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    uint64_t missed;

    if (QN_LIKELY((addr ^ (addr + size - 1)) >> many_nodes[0].line_bits == 0))
        missed = one_line(addr, size, kind);
    else
        missed = several_lines(addr, size, kind);
    result->miss = missed & 1;
    result->next_done = true;
    if (missed) {
        many_count_misses(missed, kind == SIM_WRITE);
        result->next_miss = many_last_levels(missed, addr, size, kind);
    }
}

static void cachesim_D1_initcache(const struct sim_config *config) { many_init_D1s(config->seed); }
static void cachesim_D1_finish(void) { many_finish_D1s(); }
