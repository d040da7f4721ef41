/* lab 7 exclusive.c: it has every line that came before.
 * a walk in circles | exclusive: every reference */
#include "sim/lines.h"

#define LEVEL "exclusive"
#define LEVEL_LINES lines

static struct lines lines;
static uint8_t seen[1 << 16];

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        result->miss = !seen[line / sim.line % sizeof seen];
        seen[line / sim.line % sizeof seen] = 1;
    }
}
