/* lab 7 nextline.c: it asks the LL for a line and the next one each time, and keeps none.
 * through the LL */
#include "sim/lines.h"

#define LEVEL "nextline"
#define LEVEL_LINES lines

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        result->miss = result->next_done = true;
        result->next_miss |= sim_next(line, sim.line, kind);
        sim_next(line + sim.line, sim.line, SIM_PREFETCH);
    }
}
