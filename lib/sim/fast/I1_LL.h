/* lib/sim/fast/I1_LL.h - the fast versions of cachesim_I1.c and cachesim_LL.c.
 *
 * I1: least recently used, by time stamps.  Each line of translated code has a record with the time of its last use, or 0 if it is not in the cache.  A
 * hit only writes the time, which emitted code does by itself; so only misses and some fetches from two lines come here.  The victim is the line of the
 * set with the oldest time.
 *
 *   fast_I1_init(geometry)
 *   fast_I1_ref(addr, size, &clock, record)   1 on a miss
 *   fast_I1_drop(address, record)             removes the line, for an inclusive LL
 *
 * LL: the same rows, which emitted code looks up by itself.  A word is a line's number plus QN_FAST_LL_BIAS; 0 is no line.  So an empty cache is memory
 * that nobody has written yet: of a large cache, a short program takes only the pages of the sets that it uses.
 *
 *   fast_LL_init(geometry)
 *   fast_LL_ref(addr, size)   1 on a miss
 *
 * L2: another such cache, between level 1 and the LL, if the run has one: fast_L2_init, fast_L2_ref; fast_L2_drop(address) removes a line.
 */
#include "sim/contract.h"
#include "sim/fast/fast.h"

/* ---- I1 ---- */

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

/* ---- cores: each has its own; that of the core that runs is I1_ways ---- */

static struct I1_away {
    uint32_t ways; /* in use */
    struct {
        struct qn_code_line *line;
        uint64_t stamp, way;
    } has[];
} *I1_away[QN_CORES_MAX];

static void fast_I1_turn(uint32_t from, uint32_t to)
{
    uint64_t n = ((uint64_t)I1.set_mask + 1) * I1.ways;
    struct I1_away *away = I1_away[from];

    if (!I1.ways)
        return;
    if (!away)
        away = I1_away[from] = sim_alloc(sizeof *away + n * sizeof away->has[0]);
    away->ways = 0;
    for (uint64_t i = 0; i < n; i++) {
        struct qn_code_line *line = I1_ways[i];

        if (line == &I1_free)
            continue;
        away->has[away->ways].line = line;
        away->has[away->ways].stamp = line->stamp;
        away->has[away->ways++].way = i;
        line->stamp = 0;
        I1_ways[i] = &I1_free;
    }
    away = I1_away[to];
    for (uint32_t i = 0; away && i < away->ways; i++) {
        I1_ways[away->has[i].way] = away->has[i].line;
        away->has[i].line->stamp = away->has[i].stamp;
    }
}

/* Removes the line from the I1s of all cores, for an inclusive LL. */
static inline void fast_I1_drop(uint64_t address, struct qn_code_line *(*record)(uint64_t))
{
    struct qn_code_line *rec = record(address);
    struct qn_code_line **set = I1_ways + (address >> I1.line_bits & I1.set_mask) * (uint64_t)I1.ways;

    for (unsigned i = 0; i < I1.ways; i++)
        if (set[i] == rec) {
            set[i]->stamp = 0;
            set[i] = &I1_free;
        }
    for (uint32_t core = 0; core < QN_CORES_MAX; core++)
        for (uint32_t i = 0; I1_away[core] && i < I1_away[core]->ways; i++)
            if (I1_away[core]->has[i].line == rec)
                I1_away[core]->has[i] = I1_away[core]->has[--I1_away[core]->ways];
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

/* ---- LL ---- */

static struct rows_of_level {
    uint64_t *rows;
    unsigned ways, line_bits;
    uint32_t sets;
} LL, L2;

static struct qn_fast_LL rows_init(struct rows_of_level *l, struct qn_geometry g)
{
    unsigned sets = g.size / (g.assoc * g.line);

    *l = (struct rows_of_level){sim_alloc((uint64_t)sets * g.assoc * 8), g.assoc, qn_log2(g.line), sets};
    return (struct qn_fast_LL){(uintptr_t)l->rows, l->line_bits, sets, l->ways};
}

static void fast_LL_init(struct qn_geometry g) { qn_fast.LL = rows_init(&LL, g); }
static void fast_L2_init(struct qn_geometry g) { qn_fast.L2 = rows_init(&L2, g); }

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
        __asm__ volatile("prefetcht0 %0" : : "m"(LL.rows[qn_set_of(addr >> LL.line_bits, LL.sets) * LL.ways])); /* GCC 12 drops the builtin */
}

static inline __attribute__((always_inline)) unsigned rows_ref(const struct rows_of_level *l, uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> l->line_bits, last = (addr + size - 1) >> l->line_bits;
    unsigned miss = 0;

    SIM_EACH_LINE(line, last)
        miss |= LL_touch(l->rows + qn_set_of(line, l->sets) * l->ways, l->ways, line);
    return miss;
}

static inline unsigned fast_LL_ref(uint64_t addr, uint32_t size) { return rows_ref(&LL, addr, size); }
static inline unsigned fast_L2_ref(uint64_t addr, uint32_t size) { return rows_ref(&L2, addr, size); }

/* Removes the line, for an inclusive LL: those behind it move up. */
static inline void fast_L2_drop(uint64_t address)
{
    uint64_t line = address >> L2.line_bits, *row = L2.rows + qn_set_of(line, L2.sets) * L2.ways;
    unsigned i = 0;

    while (i < L2.ways && row[i] != line + QN_FAST_LL_BIAS)
        i++;
    for (; i + 1 < L2.ways; i++)
        row[i] = row[i + 1];
    if (i < L2.ways)
        row[i] = 0;
}
