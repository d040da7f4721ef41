/* level/nextline.c - next-line prefetching: on a miss, or on every first use of a line (tagged), the lines behind it come too.
 *
 *   sequential walk of N lines: on a miss N/2 misses, tagged 1
 *
 * Slot D1.  Options: tagged (0 or 1), degree (1 line).  Events: prefetches, useful-prefetches, unused-prefetches.
 * Source: A. J. Smith, Cache memories, ACM Computing Surveys 14(3), 1982. */
#include "sim/level/prefetch.h"

#define LEVEL "nextline"
#define LEVEL_LINES lines
#define LEVEL_FINISH 1

static uint64_t degree;
static bool tagged;

static void cachesim_X_initcache(const struct sim_config *c)
{
    prefetch_init(c);
    degree = sim_option(c->slot, "degree", 1);
    tagged = sim_option(c->slot, "tagged", 0) != 0;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        bool miss = false, first = demand(line, &miss);

        result->miss |= miss;
        for (uint64_t i = 1; i <= degree && (miss || (tagged && first)); i++)
            prefetch(line + i * sim.line);
    }
}

static void cachesim_X_finish(void) { prefetch_finish(); }
