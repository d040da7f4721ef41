/* prefetch/nextline.c - next-line prefetching: a miss also fetches the next lines.  With tagged=1, so does the first use of a
 * prefetched line.
 *
 * Next-line prefetching: a reference that misses brings the line behind it, too. Tagged: so does the first use of a line that was
 * brought that way.
 *
 *   A        misses        B+ A . .
 *   B        hits          B A . .
 *   C        misses        D+ C B A
 *
 * A walk over N lines misses N/2 times; tagged, once.
 *
 * Options: `degree` (1), lines brought at once; `tagged` (0 or 1).
 * Storage: one bit per line more than the default D1.
 * Source: A. J. Smith, Cache memories, ACM Computing Surveys 14(3), 1982. */
#include "sim/module.h"

#define PREFETCHER "nextline"
#define PREFETCHER_INIT 1

static uint64_t degree, tagged;

static void prefetcher_init(const struct sim_config *c)
{
    degree = sim_option_within(c->slot, PREFETCHER, "degree", 1, 1, 64);
    tagged = sim_option_within(c->slot, PREFETCHER, "tagged", 0, 0, 1);
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    (void)kind; /* reads and writes are treated alike */
    for (uint64_t i = 1; i <= degree && (miss || tagged); i++)
        sim_prefetch(addr + size - 1 + i * sim.line);
}
