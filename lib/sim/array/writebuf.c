/* array/writebuf.c - a write-through cache with a coalescing write buffer: writes to a line that is still in the buffer are written once.
 *
 * Every write goes into the buffer, also if it hits the cache; one that misses brings nothing in. If the buffer has the line already, the write
 * joins it. When a new entry would be one too many, the oldest is written to the next level. A read that misses the cache and finds its line in
 * the buffer is a hazard: the entry is written first, then the line is read. A buffer of two, the oldest first; cache | buffer:
 *
 *   A        misses              A . | . .
 *   A! A!    hit, one joins      A . | A .
 *   B!       misses              A . | A B
 *   C!       misses              A . | B C      A was written
 *   B        misses: a hazard    B A | C .      B was written, then read
 *
 * The rules, with the sections of the paper on buffers:
 *   depth (2)               `write-buffer` entries of a line each
 *   retirement (2.2)        retire-at-N with N = one more than the depth: lazily, which coalesces most
 *   load hazards (2.3)      flush-item-only
 * What it cannot show: time. A full buffer stalls a processor, and a buffer drains when the next level is idle; here it drains only when it is full.
 *
 * Options: `write-buffer` (4; 1 to 64).
 * Events: `merged-writes`, `retired-writes`, `hazards`. The LL sees what retires; what is in the buffer at the end is never written.
 * Storage: write-buffer times (tag, line, a bit for each byte).
 * Source: N. P. Jouppi, Cache write policies and performance, ISCA 1993; K. Skadron, D. W. Clark, Design issues and tradeoffs for write buffers,
 * HPCA 1997. */
#include "sim/lines.h"

#define LEVEL "writebuf"
#define LEVEL_SLOTS LEVEL_IN_D1
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_DROP 1

enum { ENTRIES_MAX = 64 };

static struct lines lines;
static uint64_t buffer[ENTRIES_MAX]; /* the oldest first */
static unsigned entries, used, merged, retired, hazards;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    entries = (unsigned)sim_option_within(c->slot, LEVEL, "write-buffer", 4, 1, ENTRIES_MAX);
    merged = sim_event(c->slot, "merged-writes", "writes to a line that was in the write buffer");
    retired = sim_event(c->slot, "retired-writes", "entries of the write buffer that were written to the next level");
    hazards = sim_event(c->slot, "hazards", "read misses whose line was in the write buffer");
}

static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&lines, line); }

/* The entry with this line; `used` if there is none. */
static unsigned find(uint64_t line)
{
    unsigned at = 0;

    while (at < used && buffer[at] != line)
        at++;
    return at;
}

static void retire(unsigned at)
{
    sim_next(buffer[at], sim.line, SIM_WRITE);
    sim_count(retired, 1);
    for (used--; at < used; at++)
        buffer[at] = buffer[at + 1];
}

static void write_line(uint64_t line)
{
    if (find(line) < used) {
        sim_count(merged, 1);
        return;
    }
    if (used == entries)
        retire(0);
    buffer[used++] = line;
}

/* Reads the line.  Returns true on a miss of the cache. */
static bool read_line(uint64_t line, struct sim_result *result)
{
    unsigned at;

    if (lines_find(&lines, line))
        return false;
    at = find(line);
    if (at < used) {
        sim_count(hazards, 1);
        retire(at);
    }
    result->next_miss |= sim_next(line, sim.line, SIM_READ);
    lines_add(&lines, line, 0);
    return true;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    result->next_done = true;
    LINES_OF(line, addr, size) {
        if (kind == SIM_WRITE)
            result->miss |= !lines_find(&lines, line);
        else
            result->miss |= read_line(line, result);
        if (sim_writes(kind))
            write_line(line);
    }
}
