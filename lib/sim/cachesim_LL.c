/* lib/sim/cachesim_LL.c - the last level, unified, least recently used.
 *
 * A set is a row of line numbers, ordered by last use: the line used last comes first.  A reference moves its line
 * to the front.  On a miss, the last line of the row, which was not used for the longest time, is the victim:
 *
 *   two ways   reference to A: [A -] miss   B: [B A] miss   A: [A B] hit   C: [C A] miss, the victim is B
 *
 * The set is the remainder of the line number, so that there may be any number of sets.
 * It sees the references that missed the I1 or the D1, each with its whole range of bytes.  It is neither inclusive nor exclusive.
 * Source: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970.
 */
#include "sim/module.h"

#define LEVEL "lru"
#define LEVEL_ROWS rows /* the sets, for lib/sim/adapt/level.h */

static uint64_t *rows; /* sim.sets rows of sim.ways line numbers */

static void cachesim_LL_initcache(const struct sim_config *config)
{
    uint64_t lines = (uint64_t)config->sets * config->ways;

    rows = sim_alloc(lines * sizeof *rows);
    for (uint64_t i = 0; i < lines; i++)
        rows[i] = SIM_NO_LINE;
}

/* Moves the line to the front of its row.  Returns true on a hit. */
static bool touch(uint64_t line)
{
    uint64_t *row = rows + line % sim.sets * sim.ways, moved = line;

    for (uint32_t way = 0; way < sim.ways; way++) {
        uint64_t here = row[way];

        row[way] = moved;
        if (here == line)
            return true;
        moved = here;
    }
    return false;
}

static void cachesim_LL_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind; /* reads, writes and fetches are treated alike */
    for (uint64_t line = addr >> sim.line_bits; line <= (addr + size - 1) >> sim.line_bits; line++)
        if (!touch(line))
            result->miss = true;
}
