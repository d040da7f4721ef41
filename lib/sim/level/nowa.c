/* level/nowa.c - write-through without write-allocate: a write that misses goes to the next level and does not fill a line.
 *
 * No write-allocate: a write that misses goes on to the next level and brings nothing in. (A read-modify-write reads, so it does.)
 *
 *   A! B!    both miss     . . .
 *   A        misses        A . .
 *   A!       hits          A . .
 *   B C      miss          C B A
 *   D!       misses        C B A     nobody had to leave
 *
 * Storage: as the default D1.
 * Source: N. P. Jouppi, Cache write policies and performance, ISCA 1993. */
#include "sim/lines.h"

#define LEVEL "nowa"
#define LEVEL_SLOTS LEVEL_IN_D1
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
#define LEVEL_DROP 1

static struct lines lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }
static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&lines, line); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        if (kind != SIM_WRITE)
            lines_add(&lines, line, 0);
    }
}
