/* lib/sim/fast/LL.h - the fast version of cachesim_LL.c: the same rows, which emitted code looks up by itself.
 *
 * A word is a line's number plus QN_FAST_LL_BIAS; 0 is no line.  So an empty cache is memory that nobody has written yet: of a large cache, a short
 * program takes only the pages of the sets that it uses.
 *
 *   fast_LL_init(geometry)
 *   fast_LL_ref(addr, size)   1 on a miss
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"

static uint64_t *LL_rows;
static struct {
    unsigned ways, line_bits, set_mask;
} LL;

static void fast_LL_init(struct qn_geometry g)
{
    unsigned sets = g.size / (g.assoc * g.line);

    LL.ways = g.assoc;
    LL.line_bits = qn_log2(g.line);
    LL.set_mask = sets - 1;
    LL_rows = sim_alloc((uint64_t)sets * g.assoc * 8);
    qn_fast.LL = (struct qn_fast_LL){(uintptr_t)LL_rows, LL.line_bits, LL.set_mask, LL.ways};
}

/* Moves the line to the front of its row.  Returns 1 on a miss. */
static inline unsigned LL_touch(uint64_t *row, unsigned ways, uint64_t line)
{
    uint64_t word = line + QN_FAST_LL_BIAS, carried = row[0];
    unsigned i;

    if (carried == word)
        return 0;
    row[0] = word;
    for (i = 1; i < ways; i++) {
        uint64_t here = row[i];

        row[i] = carried;
        if (here == word)
            return 0;
        carried = here;
    }
    return 1;
}

/* Prefetches the row of this address. */
static inline void fast_LL_ahead(uint64_t addr)
{
    if (QN_LIKELY(LL.ways))
        __asm__ volatile("prefetcht0 %0" : : "m"(LL_rows[(addr >> LL.line_bits & LL.set_mask) * (uint64_t)LL.ways])); /* GCC 12 drops the builtin */
}

static inline unsigned fast_LL_ref(uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> LL.line_bits, last = (addr + size - 1) >> LL.line_bits;
    unsigned miss = 0;

    SIM_EACH_LINE(line, last)
        miss |= LL_touch(LL_rows + (line & LL.set_mask) * (uint64_t)LL.ways, LL.ways, line);
    return miss;
}
