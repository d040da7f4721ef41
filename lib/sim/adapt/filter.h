/* lib/sim/adapt/filter.h - the hit filter of slot D1 as modules keep it: which lines may pass translated code's check.
 *
 * A table by line number, with as many places per set as the set has ways, but at least eight: a line that is in it is in the
 * cache, and its next hit changes nothing.  Lines that share a place take turns there; that costs time, never exactness. */
#ifndef QN_SIM_ADAPT_FILTER_H
#define QN_SIM_ADAPT_FILTER_H

#include "sim/contract.h"

#define FILTER_ENTRIES (1u << 17)
#define FILTER_PER_SET 8

static struct qn_filter_entry filter_entries[FILTER_ENTRIES] __attribute__((aligned(4096)));
static uint32_t filter_mask;
static uint64_t *filter_newest; /* per set: the line put last by filter_put_only */

static inline uint64_t *filter_place(uint64_t line)
{
    return &filter_entries[(line >> sim.line_bits) & filter_mask].line;
}

static inline void filter_remove(uint64_t line)
{
    uint64_t *place = filter_place(line);

    if (*place == line)
        *place = QN_NO_LINE;
}

static inline void filter_put(uint64_t line, bool settled)
{
    if (settled)
        *filter_place(line) = line;
    else
        filter_remove(line);
}

/* The line that this one's set has in the table by filter_put_only. */
static inline uint64_t *filter_only(uint64_t line) { return &filter_newest[(line >> sim.line_bits) & (sim.sets - 1)]; }

/* Of this line's set no other line may be settled. */
static inline __attribute__((unused)) void filter_put_only(uint64_t line, bool settled)
{
    uint64_t *newest = filter_only(line);

    filter_remove(*newest);
    *newest = line;
    filter_put(line, settled);
}

/* No line may pass. */
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
    if (entries > FILTER_ENTRIES)
        entries = FILTER_ENTRIES;
    filter_mask = (uint32_t)entries - 1;
    filter_clear();
    return qn_filter_of(filter_entries, (uint32_t)entries, sim.line);
}

#endif
