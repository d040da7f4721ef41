/* lib/sim/lru.h - least recently used, kept as an order: the row of a set lists its lines, newest first.
 *
 *   ref A:   [A . . .]   miss
 *   ref B:   [B A . .]   miss
 *   ref A:   [A B . .]   hit, moves to the front
 *
 * The first entry is the line whose next hit changes nothing, so a row is its own hit filter.
 */
#ifndef QN_SIM_LRU_H
#define QN_SIM_LRU_H

#include "sim/contract.h"

/* Returns 1 on a miss.  ways >= 1. */
static inline unsigned lru_ref(uint64_t *row, unsigned ways, uint64_t line)
{
    uint64_t carried = row[0];
    unsigned i;

    if (carried == line)
        return 0;
    row[0] = line;
    for (i = 1; i < ways; i++) {
        uint64_t here = row[i];

        row[i] = carried;
        if (here == line)
            return 0;
        carried = here;
    }
    return 1;
}

/* Take the line out, if it is there. */
static inline void lru_drop(uint64_t *row, unsigned ways, uint64_t line)
{
    unsigned i = 0;

    while (i < ways && row[i] != line)
        i++;
    if (i == ways)
        return;
    for (; i + 1 < ways; i++)
        row[i] = row[i + 1];
    row[i] = QN_NO_LINE;
}

static inline void lru_clear(uint64_t *rows, uint64_t entries)
{
    for (uint64_t i = 0; i < entries; i++)
        rows[i] = QN_NO_LINE;
}

#endif
