/* exclusive.c - lab 7, a solution: what is asked for is given away, what is given up is kept. */
#include "sim/lines.h"

#define LEVEL "exclusive"
#define LEVEL_WANTS_EVICTIONS 1

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (kind == SIM_EVICT || kind == SIM_WRITEBACK)
            lines_add(&lines, line, 0);
        else if (!lines_remove(&lines, line))
            result->miss = true;
    }
}
