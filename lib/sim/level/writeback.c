/* level/writeback.c - write-back, write-allocate: a line that was written to is dirty, and is written to the next level when it is
 * evicted.
 *
 * Write-back: a write marks its line dirty (!); a dirty line is written back when it leaves.
 *
 *   A A!     A! .
 *   B        B A!
 *   C        C B          A was written back
 *   D!       D! C         B was clean
 *
 * It tells an exclusive LL what leaves and whether it is dirty. The default L2 and LL mark the lines that come down, and write them back
 * when they leave; hits and misses of all levels stay as they are without this. A line that a level below does not have passes through it.
 * At the end it says how many lines are still dirty.
 *
 * Events: `fills`, `writebacks`, in lines; the default L2 and LL have the same two.
 * Storage: one bit per line more than the default D1.
 * Source: Jouppi 1993 (see nowa). */
#include "sim/lines.h"

#define LEVEL "writeback"
#define LEVEL_SLOTS LEVEL_IN_D1
#define LEVEL_TELLS_EVICTIONS 1
#define LEVEL_TELLS_WRITEBACKS 1
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_FINISH 1
#define LEVEL_DROP 1

enum { DIRTY = 1 };

static struct lines lines;
static unsigned fills, writebacks;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    fills = sim_event(c->slot, "fills", "lines brought in");
    writebacks = sim_event(c->slot, "writebacks", "dirty lines written back");
}

static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }

static void leave(uint64_t line, uint8_t flags)
{
    if (flags & DIRTY)
        sim_count(writebacks, 1);
    if (sim_wants_evictions() || (sim_wants_writebacks() && (flags & DIRTY)))
        sim_next(line, sim.line, flags & DIRTY ? SIM_WRITEBACK : SIM_EVICT);
}

static void cachesim_X_drop(uint64_t line)
{
    uint8_t *flags = lines_find(&lines, line);

    if (flags && (*flags & DIRTY))
        sim_count(writebacks, 1);
    lines_remove(&lines, line);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    uint8_t dirty = sim_writes(kind) ? DIRTY : 0;

    LINES_OF(line, addr, size) {
        uint8_t *flags = lines_find(&lines, line);

        if (flags) {
            *flags |= dirty;
            continue;
        }
        result->miss = true;
        if (sim_wants_evictions()) {
            result->next_done = true;
            result->next_miss |= sim_next(line, sim.line, kind);
        }
        sim_count(fills, 1);
        lines_add(&lines, line, dirty);
        if (lines.out != LINES_NONE)
            leave(lines.out, lines.out_flags);
    }
}

static void cachesim_X_finish(void)
{
    uint64_t dirty = 0;

    for (uint64_t i = 0; i < (uint64_t)sim.sets * sim.ways; i++)
        dirty += lines.line[i] != LINES_NONE && (lines.flags[i] & DIRTY);
    sim_print("%s: %lu dirty lines at the end", sim.slot, dirty);
}
