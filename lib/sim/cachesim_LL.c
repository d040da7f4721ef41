/* lib/sim/cachesim_LL.c - the last-level cache, unified, looked up on every level-1 miss with the range of the
 * whole reference.  Least recently used; no back-invalidation. */
#include "sim/lru.h"

static uint64_t *LL_rows;
static struct {
    unsigned ways, line_bits, set_mask;
} LL;

static bool cachesim_LL_initcache(struct qn_geometry g, void *(*alloc)(uint64_t))
{
    unsigned sets = g.size / (g.assoc * g.line);

    LL.ways = g.assoc;
    LL.line_bits = qn_log2(g.line);
    LL.set_mask = sets - 1;
    LL_rows = alloc((uint64_t)sets * g.assoc * 8);
    lru_clear(LL_rows, (uint64_t)sets * g.assoc);
    return true;
}

/* Where the lines are, for translated code that looks one up by itself. */
static inline struct qn_lru_rows cachesim_LL_rows(void)
{
    return (struct qn_lru_rows){(uintptr_t)LL_rows, LL.line_bits, LL.set_mask, LL.ways};
}

static inline unsigned cachesim_LL_doref(uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> LL.line_bits, last = (addr + size - 1) >> LL.line_bits;
    unsigned miss = 0;

    for (; line <= last; line++)
        miss |= lru_ref(LL_rows + (line & LL.set_mask) * (uint64_t)LL.ways, LL.ways, line);
    return miss;
}
