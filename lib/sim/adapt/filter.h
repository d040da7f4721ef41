/* lib/sim/adapt/filter.h - the hit filter of slot D1 for modules: the lines whose hits need no call of the simulator.
 *
 * A table indexed by line number, with as many entries for each set as the set has ways, but at least eight.  A line in the
 * table is in the cache and settled: its next hit changes nothing.  Of several lines with the same entry, only one is in the table; the
 * others cost calls, but the counts stay exact. */
#define FILTER_PER_SET 8

#define filter_entries qn_sim_filter_entries[QN_DEFINES(QN_SIM_SHADOW)] /* a run has one D1, and one shadow model */
static uint32_t filter_mask;
static uint64_t *filter_newest; /* by set: the line of the last filter_put_only */

static inline uint64_t *filter_entry(uint64_t line)
{
    return &filter_entries[(line >> sim.line_bits) & filter_mask].line;
}

static inline void filter_remove(uint64_t line)
{
    uint64_t *entry = filter_entry(line);

    if (*entry == line)
        *entry = QN_NO_LINE;
}

static inline void filter_put(uint64_t line, bool settled)
{
    if (settled)
        *filter_entry(line) = line;
    else
        filter_remove(line);
}

/* The line that filter_put_only has put last for this line's set. */
static inline uint64_t *filter_only(uint64_t line) { return &filter_newest[(line >> sim.line_bits) & (sim.sets - 1)]; }

/* Puts the line into the table and removes the one put before: for levels where one line of a set, at most, is settled. */
static inline __attribute__((unused)) void filter_put_only(uint64_t line, bool settled)
{
    uint64_t *newest = filter_only(line);

    filter_remove(*newest);
    *newest = line;
    filter_put(line, settled);
}

/* Empties the table. */
static void filter_clear(void)
{
    for (uint64_t i = 0; i <= filter_mask; i++)
        filter_entries[i].line = QN_NO_LINE;
}

static struct qn_filter filter_init(void)
{
    uint64_t entries = sim.sets;

    filter_newest = sim_alloc(entries * sizeof *filter_newest);
    for (uint32_t i = 0; i < sim.sets; i++)
        filter_newest[i] = QN_NO_LINE;

    for (uint32_t per_set = 1; per_set < sim.ways || per_set < FILTER_PER_SET; per_set *= 2)
        entries *= 2;
    if (entries > QN_FILTER_ENTRIES)
        entries = QN_FILTER_ENTRIES;
    filter_mask = (uint32_t)entries - 1;
    filter_clear();
    return qn_filter_of(filter_entries, (uint32_t)entries, sim.line);
}
