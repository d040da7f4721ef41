/* level/victim.c - a victim cache: victims go to a small fully associative buffer.  A reference that finds its line there swaps it
 * with the new victim, and is not a miss.
 *
 * A victim cache: what leaves goes to a small fully associative buffer; a line found there changes places with the one that it drives
 * out, and the reference is no miss. One place, a buffer of two:
 *
 *   A        misses        A | . .
 *   B        misses        B | A .
 *   A        no miss       A | B .     they change places
 *   B A B A  no miss       A | B .
 *   C D      miss          D | C A     B is gone
 *
 * Options: `victim-lines` (8), of the buffer.
 * Events: `victim-hits`.
 * Storage: the buffer, victim-lines times a line with its tag.
 * Source: N. P. Jouppi, Improving direct-mapped cache performance by the addition of a small fully-associative cache and prefetch
 * buffers, ISCA 1990. */
#include "sim/lines.h"

#define LEVEL "victim"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1 | LEVEL_IN_LL)
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
#define LEVEL_DROP 1

static struct lines lines, buffer;
static unsigned victim_hits;

static void cachesim_X_initcache(const struct sim_config *c)
{
    uint32_t n = (uint32_t)sim_option_within(c->slot, LEVEL, "victim-lines", 8, 1, 4096);

    lines_init(&lines, c->sets, c->ways, c->line_bits);
    lines_init(&buffer, 1, n, c->line_bits);
    victim_hits = sim_event(c->slot, "victim-hits", "references found in the victim buffer");
}

static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }

static void cachesim_X_drop(uint64_t line)
{
    lines_remove(&lines, line);
    lines_remove(&buffer, line);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        if (lines_remove(&buffer, line))
            sim_count(victim_hits, 1);
        else
            result->miss = true;
        lines_add(&lines, line, 0);
        if (lines.out != LINES_NONE)
            lines_add(&buffer, lines.out, 0);
    }
}
