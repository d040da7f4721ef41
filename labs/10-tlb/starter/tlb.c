/* tlb.c - see HANDOUT.md.  A buffer of translations that does not hold any yet: each reference misses, and no page table is read. */
#include "sim/lines.h"

#define LEVEL "tlb"
#define LEVEL_LINES first /* quern watch draws them */
#define LEVELS 4 /* of page tables */
#define PAGE_BITS 12

static struct lines first;
static unsigned reads; /* event: sim_count(reads, 1) for each entry of a page table that is read */

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&first, c->sets, c->ways, PAGE_BITS);
    reads = sim_event(c->slot, "walk-reads", "entries of page tables that were read");
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind, (void)reads, (void)LEVELS;
    LINES_OF(line, addr, size) /* a page is a line here: the address of its first byte */
        result->miss = result->next_done = true; /* TODO */
}
