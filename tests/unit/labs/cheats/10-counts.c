/* lab 10 tlb.c: a right buffer, and four entries counted for each walk, of which none is read.
 * a walk reads an entry of each level */
#include "sim/lines.h"

#define LEVEL "tlb"
#define LEVEL_LINES first /* quern watch draws them */
#define LEVELS 4
#define PAGE_BITS 12

static struct lines first;
static unsigned reads; /* event: entries of page tables that were read */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&first, c->sets, c->ways, PAGE_BITS);
    reads = sim_event(c->slot, "walk-reads", "entries of page tables that were read");
}

static bool translate(uint64_t page, struct sim_result *result)
{
    if (lines_find(&first, page))
        return false;
    result->miss = result->next_done = true;
    lines_add(&first, page, 0);
    sim_count(reads, LEVELS);
    return false;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size)
        result->next_miss |= translate(line, result);
}
