/* lib/cost/leaves.h - executions that left a block early, in the order in which blocks are folded.
 *
 *   leaves (7, insn 2, 5 times), (3, insn 0, 1), (7, insn 2, 1)  ->  3: {0, 1}   7: {2, 6}
 *
 *   qn_cost_sort_leaves(&l, store);
 *   for (block = 0; ...; block++) { qn_cost_seek_leaves(&l, block);
 *       for (insn = 0; ...; insn++) x = qn_cost_count_executions(&l, insn, x); }
 */
#ifndef QN_COST_LEAVES_H
#define QN_COST_LEAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/store.h"

struct qn_cost_leaves {
    struct qn_leave_rec *list; /* sorted by block, insn */
    uint64_t count, at;
    uint32_t block;
};

void qn_cost_sort_leaves(struct qn_cost_leaves *l, const struct qn_cost_store *store);
void qn_cost_free_leaves(struct qn_cost_leaves *l);

/* Blocks must be asked for in rising order. */
void qn_cost_seek_leaves(struct qn_cost_leaves *l, uint32_t block);

/* x less every leave before or at instruction `insn` that was not subtracted yet; never below 0. */
uint64_t qn_cost_count_executions(struct qn_cost_leaves *l, uint32_t insn, uint64_t x);

#endif
