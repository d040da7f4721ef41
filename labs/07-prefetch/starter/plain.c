/* plain.c - a first-level cache that prefetches nothing: what nextline.c begins with.  It also tells the last level
 * which lines it gives up, if that wants to know.
 */
#include "sim/lines.h"

#define LEVEL "plain"
#define LEVEL_LINES lines /* quern watch draws them */
#define LEVEL_TELLS_EVICTIONS 1

static struct lines lines; /* the sets, each with its lines in order of use */

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

/* Asks the last level for a line, and puts it in front of its set. */
static bool bring_in(uint64_t line, enum sim_kind kind)
{
    bool far = sim_next(line, sim.line, kind);

    lines_add(&lines, line, 0);
    if (lines.out != LINES_NONE && sim_wants_evictions())
        sim_next(lines.out, sim.line, SIM_EVICT);
    return far;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue; /* there, and now in front */
        result->miss = result->next_done = true;
        result->next_miss |= bring_in(line, kind);
    }
}
