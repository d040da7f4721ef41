/* lib/sim/adapt/core_L2.h - the L2 of a core, least recently used: a row of ways for each set, the most recently used first.
 *
 *   core_L2_init(L2)                     sim.L2_sets, sim.L2_ways; ways 0: there is none, and nothing is ever found
 *   core_L2_find(L2, line)               its way; NULL
 *   core_L2_to_front(L2, way, line)      way NULL: fills the line, and returns what gave way to it (line QN_NO_LINE: nothing)
 *   core_L2_remove(L2, line)
 *
 * Invariant: while the D1 of the core has the line, too, the state is that of the D1's entry, and the way's is old. */
#ifndef QN_SIM_ADAPT_CORE_L2_H
#define QN_SIM_ADAPT_CORE_L2_H

struct core_way {
    uint64_t line;
    uint32_t site; /* of the last reference to it that was a call, when it was in the D1 or brought here */
    uint8_t state;
};

struct core_L2 {
    struct core_way *ways;
};

static void core_L2_init(struct core_L2 *l)
{
    const uint64_t n = (uint64_t)sim.L2_sets * sim.L2_ways;

    l->ways = n ? sim_alloc(n * sizeof *l->ways) : NULL;
    for (uint64_t i = 0; i < n; i++)
        l->ways[i].line = QN_NO_LINE;
}

static inline struct core_way *core_L2_row(const struct core_L2 *l, uint64_t line)
{
    return l->ways + (uint64_t)qn_set_of(line >> sim.line_bits, sim.L2_sets) * sim.L2_ways;
}

static inline struct core_way *core_L2_find(const struct core_L2 *l, uint64_t line)
{
    struct core_way *row = sim.L2_ways ? core_L2_row(l, line) : NULL;

    for (uint32_t i = 0; i < sim.L2_ways; i++)
        if (row[i].line == line)
            return &row[i];
    return NULL;
}

static struct core_way core_L2_to_front(const struct core_L2 *l, struct core_way *way, uint64_t line)
{
    struct core_way *row = core_L2_row(l, line), *last = way ? way : row + sim.L2_ways - 1, out = *last;

    for (; last > row; last--)
        *last = last[-1];
    *row = way ? out : (struct core_way){.line = line};
    return out;
}

static void core_L2_remove(const struct core_L2 *l, uint64_t line)
{
    struct core_way *way = core_L2_find(l, line), *row = way ? core_L2_row(l, line) : NULL;

    for (; way && way + 1 < row + sim.L2_ways; way++)
        *way = way[1];
    if (way)
        way->line = QN_NO_LINE;
}

#endif
