/* exclusive.c - a last level that holds only what the first level gave up: see HANDOUT.md.  Slot LL. */
#include "sim/lines.h"

#define LEVEL "exclusive"
#define LEVEL_WANTS_EVICTIONS 1 /* the first level tells what it gives up: SIM_EVICT, or SIM_WRITEBACK if written */

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind; /* TODO: now this is an ordinary level, which keeps what it gives */
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        lines_add(&lines, line, 0);
    }
}
