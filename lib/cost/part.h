/* lib/cost/part.h - parts of a run: the counts since an earlier copy of its arena.
 *
 *   then:  block 7: 1000 executions, 12 misses          now:  block 7: 1500, 12      ->   500, 0
 *
 * The engine only appends to the arena, so a row that both have has the same index in both.  A call that was made in an earlier part and
 * has not returned has the costs since then and 0 calls, as in Callgrind.
 */
#ifndef QN_COST_PART_H
#define QN_COST_PART_H

#include "cost/store.h"

/* A copy of the arena in which no call is open.  0, or errno. */
int qn_cost_take_part(struct qn_cost_store *to, const struct qn_cost_store *from);

/* What `store` has counts from `then` on; then: of qn_cost_take_part.  store: a copy, or of a run that has ended. */
void qn_cost_begin_at(const struct qn_cost_store *store, const struct qn_cost_store *then);

#endif
