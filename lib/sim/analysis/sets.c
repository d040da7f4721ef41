/* analysis/sets.c - misses by set: do a few sets have most of the misses, and when?
 *
 * Misses of the D1 by set: where a few sets have most of them, lines that are used together want the same place, and another layout of
 * the data, or another number of ways, helps. Four sets of one line; A and E lie in set 0, B in set 1:
 *
 *   A E A B     all miss
 *   AN: misses by set of the D1, 4 sets:
 *   AN: from 0: 3 1 0 0
 *
 * A reference over several lines counts where its first one lies. `quern plot sets PROFILE.sets.csv` draws it: misses of data by set, of
 * the D1 and of the LL: cache, interval, start, end, set, sets, misses.
 *
 * With `--interval=N` (or auto) it has them by interval: a row for each set of each interval that has misses, and for the first set of
 * every interval. Where a cache has more than 256 sets, several that follow each other are counted together, `sets` of them from `set` on.
 * `quern plot heat` draws it. An interval takes 8 bytes a group; at 256 MiB (65,536 intervals of two caches with 256 groups) a line
 * says that the last interval has the rest.
 *
 * Storage: of the tool: a counter per set of both caches.
 * Source: M. D. Hill, A. J. Smith, Evaluating associativity in CPU caches, IEEE Transactions on Computers 38(12), 1989. */
#include "sim/module.h"

#define ANALYSIS "sets"
#define ANALYSIS_RECORDS SIM_MISSES
#define ACROSS 8

static uint64_t *misses, *LL_misses;
static uint32_t sets, bits, LL_sets, LL_bits; /* sets, LL_sets: powers of two */

/* Cells for n sets, and rows as PROFILE.sets.csv has them: with --interval, of one interval. */
static uint64_t *declare_cells(const char *cache, uint32_t n)
{
    uint64_t *cells = sim_cells(n);

    sim_sets_by_time(cache, cells, n);
    for (uint32_t i = 0; i < n; i++) {
        struct sim_term terms[2] = {{.times = 1, .of = SIM_SUM_INSTRUCTIONS}, {.cells = cells + i, .n = 1, .times = 1}};

        sim_row(terms, 2, "{%s}{1}{0}{%%U}{%u}{1}{%%U}", cache, i);
    }
    return cells;
}

static void analysis_init(const struct sim_config *c)
{
    struct sim_term terms[ACROSS];

    sets = c->sets;
    bits = c->line_bits;
    LL_sets = c->LL_sets;
    LL_bits = c->LL_line_bits;
    sim_table(sim.slot, "sets", "cache interval start end set sets misses");
    misses = declare_cells("D1", sets);
    LL_misses = declare_cells("LL", LL_sets);
    sim_row(NULL, 0, "AN: misses by set of the D1, %u sets:", sets);
    for (uint32_t set = 0; set < sets; set++) {
        terms[set % ACROSS] = (struct sim_term){.cells = misses + set, .n = 1, .times = 1};
        if ((set + 1) % ACROSS == 0 || set + 1 == sets)
            sim_row(terms, set % ACROSS + 1, "AN: from %u:%s", set - set % ACROSS, &" %U %U %U %U %U %U %U %U"[3 * (ACROSS - 1 - set % ACROSS)]);
    }
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (const struct sim_record *end = r + n; r < end; r++) {
        if (!(r->what & SIM_L1_MISS))
            continue;
        misses[r->addr >> bits & (sets - 1)]++;
        if (r->what & SIM_LL_MISS)
            LL_misses[(r->addr >> LL_bits) % LL_sets]++;
    }
}

static void analysis_finish(void) {}
