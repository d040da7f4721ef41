/* analysis/sets.c - misses by set: do a few sets have most of the misses, and when?
 *
 * Slot AN.  A reference to several lines counts in the set of its first line, so the sum is the number of D1 misses.  Prints a line
 * for each eight sets.  With --interval, PROFILE.sets.csv has the misses of the D1 and the LL by set and interval.
 * Source: sets with many more misses than others as a sign of conflicts, in M. D. Hill, A. J. Smith 1989 (see 3c.c). */
#include "sim/module.h"

#define ANALYSIS "sets"
#define ANALYSIS_LATER 1
#define ANALYSIS_MISSES 1
#define ACROSS 8

static uint64_t *misses, *LL_misses;
static uint32_t sets, bits, LL_sets, LL_bits; /* sets, LL_sets: powers of two */

static void declare_row(uint32_t first)
{
    struct sim_term terms[ACROSS];
    unsigned n = 0;

    for (; n < ACROSS && first + n < sets; n++)
        terms[n] = (struct sim_term){.cells = misses + first + n, .n = 1, .times = 1};
    sim_row(terms, n, "AN: from %u:%s", first, &" %U %U %U %U %U %U %U %U"[3 * (ACROSS - n)]);
}

static void analysis_init(const struct sim_config *c)
{
    sets = c->sets;
    bits = c->line_bits;
    LL_sets = c->LL_sets;
    LL_bits = c->LL_line_bits;
    misses = sim_cells(sets);
    LL_misses = sim_cells(LL_sets);
    sim_sets_by_time("D1", misses, sets);
    sim_sets_by_time("LL", LL_misses, LL_sets);
    sim_row(NULL, 0, "AN: misses by set of the D1, %u sets:", sets);
    for (uint32_t first = 0; first < sets; first += ACROSS)
        declare_row(first);
}

static inline void count(uint64_t *cell)
{
    sim_undoable(cell);
    ++*cell;
}

static inline __attribute__((always_inline)) void analysis_miss(const struct sim_miss *miss)
{
    count(&misses[miss->addr >> bits & (sets - 1)]);
    if (miss->outcome & SIM_LL_MISS)
        count(&LL_misses[miss->addr >> LL_bits & (LL_sets - 1)]);
}

static void analysis_finish(void) {}
