/* level/l2.c - a second level between level 1 and the last level.  Slot LL then holds both; --LL= is the third level.
 *
 * Slot LL. A second level in front of the last: the slot holds both, `--LL=` is the third. "LL misses" are those of the third. L2 of
 * two lines | L3 of four:
 *
 *   A B      miss            B A | B A . .
 *   A        hits the L2     A B | B A . .     the L3 does not see it
 *   C D      miss            D C | D C B A
 *   A        hits the L3     A D | A D C B
 *
 * Options: `l2-size` (262144 bytes), `l2-ways` (8); the line is the LL's.
 * Events: `l2-refs`, `l2-misses`.
 * Storage: both caches.
 * Source: J.-L. Baer, W.-H. Wang 1988 (see inclusive), as a hierarchy without inclusion. */
#include "sim/lines.h"

#define LEVEL "l2"
#define LEVEL_SLOTS LEVEL_IN_LL

static struct lines l2, l3;
static unsigned refs, misses;

static void cachesim_X_initcache(const struct sim_config *c)
{
    uint64_t size = sim_option(c->slot, "l2-size", 262144), ways = sim_option(c->slot, "l2-ways", 8);
    uint64_t sets = ways ? size / (ways * c->line) : 0;

    if (!qn_is_pow2(sets) || sets * ways * c->line != size)
        sim_fail(c->slot, LEVEL, "l2-size", 0, "must be ways * line * a power of two of sets");
    lines_init(&l2, (uint32_t)sets, (uint32_t)ways, c->line_bits);
    lines_init(&l3, c->sets, c->ways, c->line_bits);
    refs = sim_event(c->slot, "l2-refs", "lookups of the second level");
    misses = sim_event(c->slot, "l2-misses", "misses of the second level");
}

static bool touch(struct lines *l, uint64_t addr, uint32_t size)
{
    bool miss = false;

    LINES_OF(line, addr, size) {
        if (lines_find(l, line))
            continue;
        miss = true;
        lines_add(l, line, 0);
    }
    return miss;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    sim_count(refs, 1);
    if (!touch(&l2, addr, size))
        return;
    sim_count(misses, 1);
    result->miss = touch(&l3, addr, size);
}
