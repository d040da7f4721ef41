/* level/l2.c - a second level between level 1 and the last level.  Slot LL then holds both; --LL= is the third level.
 *
 * Slot LL.  Options: l2-size (262144 bytes), l2-ways (8).  The lines of the L2 are as long as those of the LL.  Events: l2-refs,
 * l2-misses.  A reference that misses the L2 is looked up in the third level; "LL misses" are the misses of the third level.
 * Both are least recently used.
 * Source: J.-L. Baer, W.-H. Wang, On the inclusion properties for multi-level cache hierarchies, ISCA 1988; without inclusion. */
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
