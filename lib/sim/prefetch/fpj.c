/* prefetch/fpj.c - stride prefetching by instruction: the stride is the distance between the last two addresses that an
 * instruction referenced.  The line at the last address plus the stride is prefetched.
 *
 *   one instruction references 0, 100, 200:   prefetch 200 (at 100), 300 (at 200)
 *
 * The stride prediction table is direct-mapped by the address of the instruction, with that address as the tag.  An entry
 * holds the address that was referenced last.  Slot D1 (or I1, where each instruction has only one address, so the stride is always 0).
 * Option: table (256 entries, a power of two).
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
