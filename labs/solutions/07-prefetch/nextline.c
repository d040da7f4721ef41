/* nextline.c - lab 7, a solution: on a miss, the next lines come, too. */
#include "sim/lines.h"

#define LEVEL "nextline"
#define LEVEL_LINES lines /* quern watch draws them */
#define DEGREE_MAX 64

enum { PREFETCHED = 1 }; /* a flag of a line: it was guessed, and not used since */

static struct lines lines;
static uint64_t degree;              /* --sim-opt=degree=N: lines per guess */
static unsigned prefetches, useful;  /* events: sim_count(prefetches, 1) */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    degree = sim_option_within(c->slot, LEVEL, "degree", 1, 1, DEGREE_MAX);
    prefetches = sim_event(c->slot, "prefetches", "lines prefetched");
    useful = sim_event(c->slot, "useful", "prefetched lines that were then used");
}

static bool bring_in(uint64_t line, enum sim_kind kind, uint8_t flags)
{
    bool far = sim_next(line, sim.line, kind);

    lines_add(&lines, line, flags);
    return far;
}

static void prefetch(uint64_t line)
{
    if (lines_has(&lines, line))
        return;
    sim_count(prefetches, 1);
    bring_in(line, SIM_PREFETCH, PREFETCHED);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    LINES_OF(line, addr, size) {
        uint8_t *flags = lines_find(&lines, line);
        bool missed = !flags, was_guessed = flags && *flags == PREFETCHED;

        if (was_guessed) {
            sim_count(useful, 1);
            *flags = 0;
        }
        if (missed) {
            result->miss = result->next_done = true;
            result->next_miss |= bring_in(line, kind, 0);
        }
        for (uint64_t i = 1; i <= degree && (missed); i++)
            prefetch(line + i * sim.line);
    }
}
