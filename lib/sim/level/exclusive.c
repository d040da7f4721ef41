/* level/exclusive.c - an exclusive last level: it is filled with the victims of level 1, and a hit moves the line back to level 1, so
 * that the capacities of both add up.
 *
 * Slot LL. An exclusive last level: it holds what level 1 gave up (A-), and gives a line away when level 1 asks for it, so that both
 * together hold the sum.
 *
 *   A        misses        . . .       from memory straight to level 1
 *   A-                     A . .
 *   B- C-                  C B A
 *   B        hits          C A .       back to level 1, gone from here
 *
 * I1 and D1 must tell what they give up: a policy by name (lru), or writeback; the default modules do not.
 *
 * Storage: as the default LL.
 * Source: N. P. Jouppi, S. J. E. Wilton, Tradeoffs in two-level on-chip caching, ISCA 1994. */
#include "sim/lines.h"

#define LEVEL "exclusive"
#define LEVEL_SLOTS LEVEL_IN_LL
#define LEVEL_WANTS_EVICTIONS 1

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (kind != SIM_EVICT && kind != SIM_WRITEBACK)
            result->miss |= !lines_remove(&lines, line);
        else if (!lines_find(&lines, line)) /* I1 and D1 may both have held it */
            lines_add(&lines, line, 0);
    }
}
