/* prefetch/sms.c - spatial memory streaming: which lines of a region are used together, by the instruction that comes first and where in the region.
 *
 * A region is 32 lines. From the first reference to it on, a generation, a bit pattern records which of its lines are used. When the generation
 * ends, the pattern is kept under the instruction that began it and the line of the region at which it did. When this instruction begins a
 * generation of another region at the same line of it, all lines of the pattern are prefetched. Regions of eight lines:
 *
 *   instruction 1 refers to line 2 of region A     misses     A: ..x.....
 *   others refer to lines 3 and 6                  miss       A: ..xx..x.     kept under (1, 2) when A's generation ends
 *   instruction 1 refers to line 2 of region B     misses     lines 3 and 6 of B are prefetched
 *
 * The rules, with the sections of the paper:
 *   generations (3.1)     `sms-regions` are recorded, fully associative
 *   patterns (3.2)        one of a single line is not kept; the table is direct-mapped here, 16-way there
 * Otherwise than published: a generation ends there when a line of it leaves the cache, of which a prefetcher is not told; here it ends when its
 * entry is the least recently used and another region needs it. One table records, where the paper has a filter before it. In a replay the
 * instruction is the one that was fetched last.
 *
 * Options: `sms-regions` (64; 1 to 1024), `sms-patterns` (16384, a power of two).
 * Storage: sms-regions times (region, instruction, line of 5 bits, 32 bits), sms-patterns times (tag, 32 bits), and one bit per line.
 * Source: S. Somogyi, T. F. Wenisch, A. Ailamaki, B. Falsafi, A. Moshovos, Spatial memory streaming, ISCA 2006. */
#include "sim/module.h"

#define PREFETCHER "sms"
#define PREFETCHER_INIT 1
#define PREFETCHER_SEES_HITS 1
#define WANTS_PC 1

enum { LINES_BITS = 5, REGION_LINES = 1 << LINES_BITS };

struct first {
    uint64_t pc;
    uint32_t line; /* of its region */
};

static struct generation {
    uint64_t region, used; /* used: number of the reference; 0: the entry is free */
    struct first by;
    uint32_t lines; /* a bit for each that was used */
} *generations;
static struct pattern {
    struct first by;
    uint32_t lines; /* 0: free */
} *patterns;
static uint64_t ngenerations, npatterns, now;

static void prefetcher_init(const struct sim_config *c)
{
    ngenerations = sim_option_within(c->slot, PREFETCHER, "sms-regions", 64, 1, 1024);
    npatterns = sim_option_within(c->slot, PREFETCHER, "sms-patterns", 16384, 1, 1 << 20);
    if (!qn_is_pow2(npatterns))
        sim_fail(c->slot, PREFETCHER, "sms-patterns", 0, "must be a power of two");
    generations = sim_alloc(ngenerations * sizeof *generations);
    patterns = sim_alloc(npatterns * sizeof *patterns);
}

static struct pattern *place_of(struct first by) { return &patterns[(by.pc << LINES_BITS ^ by.line ^ by.pc >> 9) & (npatterns - 1)]; }

static void end_generation(const struct generation *g)
{
    if (g->used && (g->lines & (g->lines - 1)))
        *place_of(g->by) = (struct pattern){g->by, g->lines};
}

/* The generation of the region; if there is none, the entry that was used longest ago. */
static struct generation *find(uint64_t region)
{
    struct generation *oldest = generations;

    for (struct generation *g = generations; g < generations + ngenerations; g++) {
        if (g->used && g->region == region)
            return g;
        if (g->used < oldest->used)
            oldest = g;
    }
    return oldest;
}

static void begin_generation(struct generation *g, uint64_t region, uint32_t line)
{
    struct first by = {sim_pc, line};
    const struct pattern *k = place_of(by);

    end_generation(g);
    *g = (struct generation){region, 0, by, 0};
    if (!k->lines || k->by.pc != by.pc || k->by.line != line)
        return;
    for (uint32_t i = 0; i < REGION_LINES; i++)
        if (k->lines >> i & 1 && i != line)
            sim_prefetch((region << LINES_BITS | i) << sim.line_bits);
}

static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    uint64_t number = addr >> sim.line_bits, region = number >> LINES_BITS;
    uint32_t line = number & (REGION_LINES - 1);
    struct generation *g = find(region);

    (void)size, (void)kind, (void)miss;
    if (!g->used || g->region != region)
        begin_generation(g, region, line);
    g->lines |= 1u << line;
    g->used = ++now;
}
