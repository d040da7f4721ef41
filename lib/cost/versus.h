/* lib/cost/versus.h - the report of `run --versus`: the first difference of two simulators, and the differences by source line.
 *
 *   B: I1=lru D1=fifo:0123456789abcdef LL=lru BC=cachegrind BI=cachegrind
 *   First difference: reference 30 of the run, a read of 4 bytes at 0x501000 by belady.S:8 (_start): A hits, B misses, the LL has it
 *   Different: 3 of 26 references; B missed more in 2, less in 1
 *   B less A, by source line (the 20 with most of 1):
 *             I1           D1           LL
 *              0           -1            0  belady.S:8 (_start)
 *
 * Invariants: the differences of all lines add up to that of the totals; nothing of the arena is trusted.
 */
#ifndef QN_COST_VERSUS_H
#define QN_COST_VERSUS_H

#include "cost/events.h"
#include "cost/modules.h"
#include "cost/store.h"
#include "prof/table.h"

struct qn_cost_versus {
    const struct qn_cost_store *store;
    const struct qn_cost_event_set *events;
    struct qn_cost_modules *modules;
    struct qn_prof_table *table; /* folded; lines, or instructions too */
};

/* Calls `put` for each line, without newline. */
void qn_cost_print_versus(const struct qn_cost_versus *v, void (*put)(void *, const char *), void *data);

#endif
