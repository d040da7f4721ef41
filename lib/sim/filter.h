/* lib/sim/filter.h - the hit filter of slot D1 as modules keep it: which lines may pass translated code's check.
 *
 * A table by line number, with as many places per set as the set has ways, but at least eight: a line that is in it is in the
 * cache, and its next hit changes nothing.  Lines that share a place take turns there; that costs time, never exactness.
 * Included by level.h and unit_cache.h. */
#ifndef QN_SIM_FILTER_H
#define QN_SIM_FILTER_H

#include "sim/contract.h"

#define FILTER_ENTRIES (1u << 17)
#define FILTER_PER_SET 8

static struct qn_filter_entry filter_entries[FILTER_ENTRIES] __attribute__((aligned(4096)));
static uint32_t filter_mask;

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

static struct qn_filter filter_init(void)
{
    uint64_t entries = sim.sets;

    for (uint32_t per_set = 1; per_set < sim.ways || per_set < FILTER_PER_SET; per_set *= 2)
        entries *= 2;
    if (entries > FILTER_ENTRIES)
        entries = FILTER_ENTRIES;
    filter_mask = (uint32_t)entries - 1;
    for (uint64_t i = 0; i < entries; i++)
        filter_entries[i].line = QN_NO_LINE;
    return qn_filter_of(filter_entries, (uint32_t)entries, sim.line);
}

#endif
