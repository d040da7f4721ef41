/* analysis/sets.c - misses by set of the D1: do a few sets have most of them?
 *
 * Slot AN.  A reference over several lines counts where its first one lies, so the sum is that of the D1's misses.  Prints a line
 * for eight sets.  (The engine's log has room for about 1500 sets; a replay prints all.)
 * Source: sets with many more misses than others as a sign of conflicts, in M. D. Hill, A. J. Smith 1989 (see 3c.c). */
#include "base/format.h"
#include "sim/module.h"

#define ANALYSIS "sets"
#define ANALYSIS_MISSES 1
#define ACROSS 8
#define ROW_BYTES 256

static uint64_t *misses;
static uint32_t sets, bits;

static void analysis_init(const struct sim_config *c)
{
    sets = c->sets;
    bits = c->line_bits;
    misses = sim_alloc(sets * sizeof *misses);
}

static void analysis_miss(const struct sim_miss *miss) { misses[(miss->addr >> bits) % sets]++; }

static void print_row(uint32_t first)
{
    char row[ROW_BYTES];
    size_t used = 0;

    for (uint32_t i = first; i < sets && i < first + ACROSS; i++)
        used += qn_format(row + used, sizeof row - used, " %U", misses[i]);
    sim_print("AN: from %u:%s", first, row);
}

static void analysis_finish(void)
{
    sim_print("AN: misses by set of the D1, %u sets:", sets);
    for (uint32_t first = 0; first < sets; first += ACROSS)
        print_row(first);
}
