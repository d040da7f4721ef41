/* prefetch/stride.c - stride prefetching by page: when the distance between references to a page is the same twice in a row, the line
 * at the next multiple is prefetched.
 *
 * Stride prefetching by page: in each page the distance from one reference to the next is remembered; the same distance twice in a row
 * brings the line where the third would be.
 *
 *   A        misses        A
 *   D        misses        D A            three lines further
 *   G        misses        J+ G D A       again: J comes
 *   J        hits          M+ J G D A
 *
 * The design that this follows remembers a distance for each load instruction. Here the page stands for it; fpj goes by the
 * instruction.
 *
 * Options: `degree` (1); `regions` (64), pages remembered, a power of two.
 * Storage: regions times (page, last address, distance, and a bit that says that they are there), and one bit per line.
 * Source: after J.-L. Baer, T.-F. Chen, An effective on-chip preloading scheme to reduce data access penalty, Supercomputing 1991. */
#include "sim/module.h"

#define PREFETCHER "stride"
#define PREFETCHER_INIT 1
#define PREFETCHER_SEES_HITS 1
#define REGION_BITS 12

struct region {
    uint64_t page, last; /* page: its number + 1, 0 = none */
    int64_t stride;
};

static struct region *regions;
static uint64_t nregions, degree;

static void prefetcher_init(const struct sim_config *c)
{
    nregions = sim_option(c->slot, "regions", 64);
    degree = sim_option_within(c->slot, PREFETCHER, "degree", 1, 1, 64);
    if (!qn_is_pow2(nregions) || nregions > 1u << 20)
        sim_fail(c->slot, PREFETCHER, "regions", 0, "must be a power of two, at most 2^20");
    regions = sim_alloc(nregions * sizeof *regions);
}

/* The distance, if it is the same as the last time; else 0. */
static int64_t observe(uint64_t addr)
{
    uint64_t page = addr >> REGION_BITS;
    struct region *r = &regions[page & (nregions - 1)];
    int64_t distance = r->page == page + 1 ? (int64_t)(addr - r->last) : 0;
    bool again = distance && distance == r->stride;

    *r = (struct region){page + 1, addr, distance};
    return again ? distance : 0;
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    int64_t distance = observe(addr);

    (void)size, (void)kind, (void)miss;
    for (uint64_t i = 1, to = addr; i <= degree && distance; i++) {
        to += (uint64_t)distance;
        if (to >> sim.line_bits != addr >> sim.line_bits)
            sim_prefetch(to);
    }
}
