/* lib/sim/fast/I1.h - the fast version of cachesim_I1.c: least recently used, by time stamps.
 *
 * Each line of translated code has a record with the time of its last use, or 0 if it is not in the cache.  A hit only writes the
 * time, which emitted code does by itself; so only misses and some fetches from two lines come here.  The victim is the line of the
 * set with the oldest time.
 *
 *   fast_I1_init(geometry)
 *   fast_I1_ref(addr, size, &clock, record)   1 on a miss
 *   fast_I1_drop(address, record)             removes the line, for an inclusive LL
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"

static struct qn_code_line I1_free = {0, QN_NO_LINE}; /* stands for a free way: older than any line */
static struct qn_code_line **I1_ways; /* sets * ways records */
static struct {
    unsigned ways, line_bits, set_mask;
} I1;

static void fast_I1_init(struct qn_geometry g)
{
    unsigned sets = g.size / (g.assoc * g.line);

    I1.ways = g.assoc;
    I1.line_bits = qn_log2(g.line);
    I1.set_mask = sets - 1;
    I1_ways = sim_alloc((uint64_t)sets * g.assoc * sizeof *I1_ways);
    for (uint64_t i = 0; i < (uint64_t)sets * g.assoc; i++)
        I1_ways[i] = &I1_free;
    qn_fast.I1 = (struct qn_fast_I1){(uintptr_t)I1_ways, I1.line_bits, I1.set_mask, I1.ways};
}

static struct qn_code_line **I1_victim(struct qn_code_line **set)
{
    unsigned oldest = 0;
    uint64_t time = ~0ull;

    for (unsigned i = 0; i < I1.ways; i++) {
        oldest = set[i]->stamp < time ? i : oldest;
        time = set[i]->stamp < time ? set[i]->stamp : time;
    }
    return &set[oldest];
}

static unsigned I1_touch(struct qn_code_line *rec, uint64_t line, uint64_t now)
{
    unsigned miss = rec->stamp == 0;

    if (miss) {
        struct qn_code_line **way = I1_victim(I1_ways + (line & I1.set_mask) * (uint64_t)I1.ways);

        (*way)->stamp = 0;
        *way = rec;
    }
    rec->stamp = now;
    return miss;
}

/* Removes the line, for an inclusive LL. */
static inline void fast_I1_drop(uint64_t address, struct qn_code_line *(*record)(uint64_t))
{
    struct qn_code_line *rec = record(address);
    struct qn_code_line **set = I1_ways + (address >> I1.line_bits & I1.set_mask) * (uint64_t)I1.ways;

    for (unsigned i = 0; i < I1.ways; i++)
        if (set[i] == rec) {
            set[i]->stamp = 0;
            set[i] = &I1_free;
        }
}

static inline unsigned fast_I1_ref(uint64_t addr, uint32_t size, uint64_t *clock,
                                         struct qn_code_line *(*record)(uint64_t))
{
    uint64_t line = addr >> I1.line_bits, last = (addr + size - 1) >> I1.line_bits;
    unsigned miss = 0;

    SIM_EACH_LINE(line, last)
        miss |= I1_touch(record(line << I1.line_bits), line, ++*clock);
    return miss;
}
