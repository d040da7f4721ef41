/* levels.c - lab 10, a solution for variants (SHIFT, LEVELS, CACHED are defined before it): two buffers, and a cache of what walks read. */
#include "sim/lines.h"

#define LEVEL "levels"
#define LEVEL_LINES first /* quern watch draws them */
#define PAGE_BITS 12
#define INDEX_BITS 9
#define TABLES (1ull << 60)

static struct lines first, second, walks;
static unsigned reads; /* event: entries of page tables that were read */

/* The address of an entry of the page tables: that of `level` (0: the last) for an address. */
static uint64_t entry_of(unsigned level, uint64_t addr)
{
    return TABLES + ((uint64_t)level << 44) + 8 * (addr >> (PAGE_BITS + INDEX_BITS * level));
}

/* Reads the entries below level `from`, down to level `to`. */
static bool walk(uint64_t addr, unsigned from, unsigned to)
{
    bool missed = false;

    for (unsigned level = from; level-- > to;) {
        sim_count(reads, 1);
        missed |= sim_next(entry_of(level, addr), 8, SIM_READ);
    }
    return missed;
}

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&first, c->sets, c->ways, PAGE_BITS);
    lines_init(&second, 4 * c->sets, 2 * c->ways, PAGE_BITS);
    lines_init(&walks, 1, (uint32_t)sim_option_within(c->slot, LEVEL, "entries", 16, 1, 1024), 3);
    reads = sim_event(c->slot, "walk-reads", "entries of page tables that were read");
}

/* The page by which its set is chosen. */
static uint64_t place_of(uint64_t page) { return page ^ page >> PAGE_BITS >> SHIFT << PAGE_BITS; }

static bool cached_walk(uint64_t page)
{
    if (lines_find(&walks, entry_of(CACHED, page)))
        return walk(page, CACHED, 0);
    lines_add(&walks, entry_of(CACHED, page), 0);
    return walk(page, LEVELS, 0);
}

/* true: the walk missed the last level, too. */
static bool translate(uint64_t page, struct sim_result *result)
{
    bool there;

    if (lines_find(&first, place_of(page)))
        return false;
    result->miss = result->next_done = true;
    there = lines_remove(&second, place_of(page));
    lines_add(&first, place_of(page), 0);
    if (first.out != LINES_NONE)
        lines_add(&second, first.out, 0);
    return !there && cached_walk(page);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size)
        result->next_miss |= translate(line, result);
}
