/* level/nextline.c - next-line prefetching: on a miss, or on every first use of a line (tagged), the lines behind it come too.
 *
 *   sequential walk of N lines: on a miss N/2 misses, tagged 1
 *
 * Slot D1 (or I1).  Behind is behind the last line of the reference; what it needs itself comes first.  Options: tagged (0 or 1),
 * degree (1 line).  Events: prefetches, useful-prefetches, unused-prefetches.
 * Source: A. J. Smith, Cache memories, ACM Computing Surveys 14(3), 1982. */
#include "sim/level/prefetch.h"

#define LEVEL "nextline"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)
#define LEVEL_LINES lines
#define LEVEL_FINISH 1
#define LEVEL_DROP 1

static uint64_t degree;
static bool tagged;

static void cachesim_X_initcache(const struct sim_config *c)
{
    prefetch_init(c);
    degree = sim_option_within(c->slot, LEVEL, "degree", 1, 1, DEGREE_MAX);
    tagged = sim_option_within(c->slot, LEVEL, "tagged", 0, 0, 1) != 0;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    uint64_t last = (addr + size - 1) & ~(uint64_t)(sim.line - 1);
    bool first = false;

    demand_next(addr, size, kind, result);
    LINES_OF(line, addr, size)
        first |= demand(line, &result->miss);
    for (uint64_t i = 1; i <= degree && (result->miss || (tagged && first)); i++)
        prefetch(last + i * sim.line);
}

static void cachesim_X_drop(uint64_t line) { prefetch_drop(line); }
static void cachesim_X_finish(void) { prefetch_finish(); }
