/* level/prefetch.h - what the prefetchers share: lines with a mark, and how good the guesses were.
 *
 *   coverage = useful / (useful + misses)      accuracy = useful / issued
 */
#include "sim/lines.h"

enum { PREFETCHED = 1 }; /* brought by a guess, not referenced yet */
#define DEGREE_MAX 64    /* lines per guess */

static struct lines lines;
static unsigned issued, useful, unused_lines;
static uint64_t demand_misses;

static void prefetch_init(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    issued = sim_event(c->slot, "prefetches", "lines prefetched");
    useful = sim_event(c->slot, "useful-prefetches", "prefetched lines that were referenced");
    unused_lines = sim_event(c->slot, "unused-prefetches", "prefetched lines that left unreferenced");
}

static void add_line(uint64_t line, uint8_t flags)
{
    lines_add(&lines, line, flags);
    if (lines.out != LINES_NONE && (lines.out_flags & PREFETCHED))
        sim_count(unused_lines, 1);
}

static void prefetch(uint64_t line)
{
    if (lines_has(&lines, line))
        return;
    sim_count(issued, 1);
    sim_next(line, sim.line, SIM_PREFETCH);
    add_line(line, PREFETCHED);
}

/* A demand reference to a line: true if it is a first use, that is a miss or the first hit on a prefetched line. */
static bool demand(uint64_t line, bool *miss)
{
    uint8_t *flags = lines_find(&lines, line);
    bool guessed = flags && (*flags & PREFETCHED);

    if (!flags) {
        demand_misses++;
        *miss = true;
        add_line(line, 0);
    } else if (guessed) {
        sim_count(useful, 1);
        *flags = 0;
    }
    return !flags || guessed;
}

/* The reference itself goes to the next level first, then what it makes us guess. */
static void demand_next(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        if (result->next_done || lines_has(&lines, line))
            continue;
        result->next_done = true;
        result->next_miss = sim_next(addr, size, kind);
    }
}

static void prefetch_drop(uint64_t line)
{
    uint8_t *flags = lines_find(&lines, line);

    if (flags && (*flags & PREFETCHED))
        sim_count(unused_lines, 1);
    lines_remove(&lines, line);
}

static void prefetch_finish(void)
{
    uint64_t u = sim_counted(useful), n = sim_counted(issued);

    sim_print("%s: coverage %U%%, accuracy %U%%", sim.slot, 100 * u / (u + demand_misses ? u + demand_misses : 1),
              100 * u / (n ? n : 1));
}
