/* lib/cost/notes/versus.h - the report of `run --versus`: the first difference of two simulators, and the differences by source line.
 *
 *   B: I1=lru D1=srrip LL=lru BC=cachegrind BI=cachegrind
 *   First difference: reference 11422 of the run, a read of 8 bytes at 0x10024478, by the instruction at 0x10001172,
 *       grid.c:10 (main): A hits; B misses, the LL has it
 *   Different: 189 of 3546139 references; B missed more in 189, less in 0
 *   Misses of B less those of A, by source line:
 *             I1          D1          LL
 *              0         150           0  grid.c:10 (main)
 *              0          39           0  grid.c:18 (main)
 *              0         189           0  all
 *
 * Invariants: the differences of all lines add up to that of the totals; what the arena says is checked before it is used.
 */
#ifndef QN_COST_VERSUS_H
#define QN_COST_VERSUS_H

#include "cost/events.h"
#include "cost/places/places.h"
#include "cost/store.h"
#include "prof/table/table.h"

struct qn_cost_versus {
    const struct qn_cost_store *store;
    const struct qn_cost_event_set *events;
    struct qn_cost_modules *modules;
    struct qn_prof_table *table; /* folded; lines, or instructions too */
};

/* Calls `put` for each line, without newline. */
void qn_cost_print_versus(const struct qn_cost_versus *v, void (*put)(void *, const char *), void *data);

#endif
