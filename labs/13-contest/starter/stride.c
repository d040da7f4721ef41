/* stride.c - see HANDOUT.md.  It is a cache that prefetches nothing yet. */
#include "sim/lines.h"

#define LEVEL "stride"
#define LEVEL_LINES lines /* quern watch draws them */
#define STREAMS_MAX 64

static struct lines lines;
static uint64_t streams; /* --sim-opt=entries=N */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    streams = sim_option_within(c->slot, LEVEL, "entries", 16, 1, STREAMS_MAX);
}

static bool bring_in(uint64_t line, enum sim_kind kind)
{
    bool far = sim_next(line, sim.line, kind);

    lines_add(&lines, line, 0);
    return far;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)streams; /* TODO */
    LINES_OF(line, addr, size) { /* the address of a line's first byte */
        if (!lines_find(&lines, line)) {
            result->miss = result->next_done = true;
            result->next_miss |= bring_in(line, kind);
        }
    }
}
