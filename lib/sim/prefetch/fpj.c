/* prefetch/fpj.c - stride prefetching by instruction: the stride is the distance between the last two addresses that an instruction
 * referenced.  The line at the last address plus the stride is prefetched.
 *
 * Stride prefetching by instruction, named after its authors: a table knows the address that each instruction referred to last. The
 * distance from there to the next one, if there is any, is added to that: the line there is brought. One instruction refers to A, C,
 * E; another to K:
 *
 *   A        misses        A
 *   C        misses        E+ C A         two lines further, so E is next
 *   K        misses        K E+ C A       has no part in that
 *   E        hits          G+ E K C A
 *
 * The table is direct-mapped by the address of the instruction modulo its size; an instruction that finds another's entry takes it
 * over. An instruction that has several references takes them for a sequence. In a replay the instruction is the one that was fetched
 * last; a trace without fetches has one instruction only.
 *
 * Options: `table` (256), its entries, a power of two.
 * Storage: entries times (instruction, last address, a bit that says that they are there), and one bit per line.
 * Source: J. W. C. Fu, J. H. Patel, B. L. Janssens, Stride directed prefetching in scalar processors, MICRO 1992. */
#include "sim/module.h"

#define PREFETCHER "fpj"
#define PREFETCHER_INIT 1
#define PREFETCHER_SEES_HITS 1
#define WANTS_PC 1

static struct entry {
    uint64_t pc, last;
    bool valid;
} *table;
static uint64_t entries;

static void prefetcher_init(const struct sim_config *c)
{
    entries = sim_option_within(c->slot, PREFETCHER, "table", 256, 1, 1 << 20);
    if (!qn_is_pow2(entries))
        sim_fail(c->slot, PREFETCHER, "table", 0, "must be a power of two");
    table = sim_alloc(entries * sizeof *table);
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    struct entry *e = &table[sim_pc & (entries - 1)];
    uint64_t distance = e->valid && e->pc == sim_pc ? addr - e->last : 0;

    (void)size, (void)kind, (void)miss;
    *e = (struct entry){sim_pc, addr, true};
    if (distance)
        sim_prefetch(addr + distance);
}
