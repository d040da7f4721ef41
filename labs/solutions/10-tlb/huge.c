/* huge.c - lab 10, a solution: pages of two sizes, each with its buffer. */
#include "sim/lines.h"

#define LEVEL "huge"
#define LEVEL_LINES first /* quern watch draws them */
#define LEVELS 4
#define PAGE_BITS 12
#define INDEX_BITS 9
#define TABLES (1ull << 60)
#define HUGE_FROM (1ull << 40)
#define HUGE 1 /* the level of the entry that translates a huge page */

static struct lines first, huge;
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
    lines_init(&huge, 1, (uint32_t)sim_option_within(c->slot, LEVEL, "entries", 8, 1, 1024), PAGE_BITS + INDEX_BITS * HUGE);
    reads = sim_event(c->slot, "walk-reads", "entries of page tables that were read");
}

/* true: the walk missed the last level, too. */
static bool translate(uint64_t page, struct sim_result *result)
{
    unsigned last = page >= HUGE_FROM ? HUGE : 0;
    struct lines *buffer = last ? &huge : &first;
    uint64_t entry = last ? page >> huge.bits << huge.bits : page;

    if (lines_find(buffer, entry))
        return false;
    result->miss = result->next_done = true;
    lines_add(buffer, entry, 0);
    return walk(page, LEVELS, last);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size)
        result->next_miss |= translate(line, result);
}
