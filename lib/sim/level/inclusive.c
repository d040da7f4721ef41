/* level/inclusive.c - an inclusive last level: a line that it evicts is removed from I1 and D1, too (back-invalidation).
 *
 * Slot LL. An inclusive last level: what leaves it leaves I1 and D1, too. A, C and E share a set of two:
 *
 *   A C A    A C
 *   E        E A         C leaves here, and is taken out of level 1
 *
 * Events: `back-invalidations`.
 * Storage: as the default LL.
 * Source: J.-L. Baer, W.-H. Wang, On the inclusion properties for multi-level cache hierarchies, ISCA 1988. */
#include "sim/lines.h"

#define LEVEL "inclusive"
#define LEVEL_SLOTS LEVEL_IN_LL
#define LEVEL_INCLUSIVE 1

static struct lines lines;
static unsigned invalidations;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    invalidations = sim_event(c->slot, "back-invalidations", "lines that left the last level and so all others");
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        lines_add(&lines, line, 0);
        if (lines.out != LINES_NONE) {
            sim_count(invalidations, 1);
            sim_back_invalidate(lines.out, sim.line);
        }
    }
}
