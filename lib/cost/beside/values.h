/* lib/cost/beside/values.h - findings of lists of frequent values (sim_keep_values in sim/module.h).
 *
 *   a list of 1000 values in which 0 was counted 940 times and 7 twice     ->   rax 0x0 940 of 1000, rax 0x7 2 of 1000
 */
#ifndef QN_COST_VALUES_H
#define QN_COST_VALUES_H

#include "cost/store.h"

/* One for each value that is frequent, the most frequent first; one with a count of 0 if none is.  Returns how many; list has so many entries, and is sorted. */
size_t qn_cost_estimate_values(struct qn_value_list *list, size_t entries, struct qn_finding rows[QN_VALUE_ENTRIES_MAX]);

/* Appends those of all lists to `count` rows that come from malloc. */
void qn_cost_add_values(const struct qn_cost_store *store, struct qn_finding **rows, uint64_t *count);

#endif
