/* lib/cost/calls/calls.h - calls of the arena (--calls; cost/calls/call_records.h) as the tables behind a profile's summary (prof/tables/calls.h).
 *
 *   a mapping is executed:   qn_cost_find_calls()     its functions, for the engine
 *   the run has ended:       qn_cost_fold_calls()     edges by line, functions, contexts; calls that have not returned cost what they did so far
 */
#ifndef QN_COST_CALLS_H
#define QN_COST_CALLS_H

#include "cost/events.h"
#include "cost/places/places.h"
#include "cost/store.h"
#include "prof/tables/calls.h"
#include "text/error.h"

/* Appends the functions and stubs of one map of the arena. */
void qn_cost_find_calls(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map);

/* The first address of the function that covers pc by the engine's list; pc itself, if none does.  base: of the calls; head: within bounds. */
uint64_t qn_cost_call_start(const uint8_t *base, const struct qn_call_head *head, uint32_t map, uint64_t pc);

/* calls: zeroed; the caller frees it. */
void qn_cost_fold_calls(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                        struct qn_cost_modules *modules, struct qn_prof_calls *calls);

/* Of a copy, or of a run that has ended: calls that have not returned cost what they did so far, and are no longer open. */
void qn_cost_close_calls(const struct qn_cost_store *store);
/* Takes away what an earlier copy has; both are closed. */
void qn_cost_subtract_calls(const struct qn_cost_store *store, const struct qn_cost_store *less);
/* One call more for the edge (its offset) if it has cost anything since `then` (NULL: ever), or always. */
void qn_cost_count_call(const struct qn_cost_store *now, const struct qn_cost_store *then, uint32_t offset, bool always);

#endif
