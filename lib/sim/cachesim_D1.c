/* lib/sim/cachesim_D1.c - the level-1 data cache: write-allocate, least recently used.
 *
 * Interface to the slot (see contract.h):
 *   cachesim_D1_initcache(geometry)   once, before the first reference
 *   cachesim_D1_doref(addr, size)     1 on a miss.  A reference that covers several lines touches each, in
 *                                     address order, and counts as one miss at most.
 *   cachesim_D1_drop(line)            an inclusive LL takes the line away
 *   cachesim_D1_filter()              rows of the hit filter
 *   cachesim_D1_show(line, lines)     the lines of this line's set, the one used last first, for --explain
 */
#include "sim/lru.h"

#define D1_ROW_BYTES (4u << 20)

static uint64_t D1_rows[D1_ROW_BYTES / 8] __attribute__((aligned(4096)));
static struct {
    unsigned ways, line_bits, set_mask, row_entries;
} D1;

/* Row length in bytes: at least one line, so that (address & mask) * scale finds the row. */
static unsigned D1_stride(struct qn_geometry g)
{
    unsigned stride = g.line;

    while (stride < g.assoc * 8)
        stride *= 2;
    return stride;
}

static bool cachesim_D1_initcache(struct qn_geometry g)
{
    unsigned sets = g.size / (g.assoc * g.line);

    D1.ways = g.assoc;
    D1.line_bits = qn_log2(g.line);
    D1.set_mask = sets - 1;
    D1.row_entries = D1_stride(g) / 8;
    if ((uint64_t)sets * D1.row_entries * 8 > sizeof D1_rows)
        return false;
    lru_clear(D1_rows, (uint64_t)sets * D1.row_entries);
    return true;
}

static inline unsigned cachesim_D1_doref(uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> D1.line_bits, last = (addr + size - 1) >> D1.line_bits;
    unsigned miss = 0;

    for (; line <= last; line++)
        miss |= lru_ref(D1_rows + (line & D1.set_mask) * D1.row_entries, D1.ways, line << D1.line_bits);
    return miss;
}

static inline void cachesim_D1_drop(uint64_t line)
{
    lru_drop(D1_rows + (line >> D1.line_bits & D1.set_mask) * D1.row_entries, D1.ways, line);
}

#define CACHESIM_D1_SHOWS QN_SHOW_RECENT

static inline unsigned cachesim_D1_show(uint64_t line, uint64_t *lines)
{
    const uint64_t *row = D1_rows + (line >> D1.line_bits & D1.set_mask) * D1.row_entries;

    for (unsigned i = 0; i < D1.ways; i++)
        lines[i] = row[i];
    return D1.ways;
}

static inline struct qn_filter cachesim_D1_filter(struct qn_geometry g)
{
    unsigned scale = D1_stride(g) / g.line;

    return (struct qn_filter){
        .rows = (uint64_t)(uintptr_t)D1_rows,
        .mask = D1.set_mask * g.line,
        .scale = scale <= 8 ? scale : D1.set_mask == 0 ? 1 : 0,
        .line = g.line,
        .ordered = g.assoc,
    };
}
