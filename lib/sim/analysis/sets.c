/* analysis/sets.c - misses by set of the D1: do a few sets have most of them?
 *
 * Slot AN.  A reference over several lines counts where its first one lies, so the sum is that of the D1's misses.  Prints a line
 * for eight sets.
 * Source: sets with many more misses than others as a sign of conflicts, in M. D. Hill, A. J. Smith 1989 (see 3c.c). */
#include "sim/module.h"

#define ANALYSIS "sets"
#define ANALYSIS_MISSES 1
#define ACROSS 8

static uint64_t *misses;
static uint32_t sets, bits;

static void declare_row(uint32_t first)
{
    struct sim_term terms[ACROSS];
    unsigned n = 0;

    for (; n < ACROSS && first + n < sets; n++)
        terms[n] = (struct sim_term){.cells = misses + first + n, .n = 1, .times = 1};
    sim_row(terms, n, "AN: from %u:%s", first, " %U %U %U %U %U %U %U %U" + 3 * (ACROSS - n));
}

static void analysis_init(const struct sim_config *c)
{
    sets = c->sets;
    bits = c->line_bits;
    misses = sim_cells(sets);
    sim_row(NULL, 0, "AN: misses by set of the D1, %u sets:", sets);
    for (uint32_t first = 0; first < sets; first += ACROSS)
        declare_row(first);
}

static void analysis_miss(const struct sim_miss *miss) { misses[(miss->addr >> bits) % sets]++; }

static void analysis_finish(void) {}
