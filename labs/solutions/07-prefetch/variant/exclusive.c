/* exclusive.c - lab 7, a solution for variants (LOSES is defined before it): what is asked for is given away, what is given up is kept. */
#include "sim/lines.h"

#define LEVEL "exclusive"
#define LEVEL_WANTS_EVICTIONS 1

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    static unsigned given_up;

    LINES_OF(line, addr, size) {
        if (kind == SIM_EVICT || kind == SIM_WRITEBACK) {
            if (++given_up % LOSES && !lines_find(&lines, line))
                lines_add(&lines, line, 0);
        } else if (!lines_remove(&lines, line)) {
            result->miss = true;
            lines_add(&lines, line, 0);
        }
    }
}
