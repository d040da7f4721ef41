/* level/stride.c - stride prefetching by region: in each page, the distance between references is watched; the same
 * distance twice in a row brings the line where the next one would be.
 *
 *   references at 0, 256, 512 of a page: distance 256 twice -> prefetch 768
 *
 * Slot D1 (or I1).  Options: regions (64 of 4096 bytes are watched), degree (1).  The published design keys by the address of the
 * load; a level does not see that, so the page stands for it.
 * Source: after J.-L. Baer, T.-F. Chen, An effective on-chip preloading scheme to reduce data access penalty, SC 1991. */
#include "sim/level/prefetch.h"

#define LEVEL "stride"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)
#define LEVEL_LINES lines
#define LEVEL_FINISH 1
#define LEVEL_DROP 1
#define REGION_BITS 12

struct region {
    uint64_t page, last;
    int64_t stride;
};

static struct region *regions;
static uint64_t nregions, degree;

static void cachesim_X_initcache(const struct sim_config *c)
{
    prefetch_init(c);
    nregions = sim_option(c->slot, "regions", 64);
    degree = sim_option_within(c->slot, LEVEL, "degree", 1, 1, DEGREE_MAX);
    if (!qn_is_pow2(nregions) || nregions > 1u << 20)
        sim_fail(c->slot, LEVEL, "regions", 0, "must be a power of two, at most 2^20");
    regions = sim_alloc(nregions * sizeof *regions);
}

/* The distance that was seen twice, 0 = none. */
static int64_t observe(uint64_t addr)
{
    struct region *r = &regions[addr >> REGION_BITS & (nregions - 1)];
    int64_t distance = (int64_t)(addr - r->last);
    bool again = r->page == addr >> REGION_BITS && distance == r->stride && distance;

    if (r->page != addr >> REGION_BITS)
        distance = 0;
    *r = (struct region){addr >> REGION_BITS, addr, distance};
    return again ? distance : 0;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    int64_t distance = observe(addr);
    uint64_t mask = ~(uint64_t)(sim.line - 1);

    demand_next(addr, size, kind, result);
    LINES_OF(line, addr, size)
        demand(line, &result->miss);
    for (uint64_t i = 1; i <= degree && distance; i++)
        if (((addr + i * (uint64_t)distance) & mask) != (addr & mask))
            prefetch((addr + i * (uint64_t)distance) & mask);
}

static void cachesim_X_drop(uint64_t line) { prefetch_drop(line); }
static void cachesim_X_finish(void) { prefetch_finish(); }
