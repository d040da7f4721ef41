/* lib/cost/beside/loads.h - the level that served each load, computed from the counters of a run (sim_keep_loads in sim/module.h).
 *
 *   an instruction that read 1000 times, missed the D1 57 times and the LL 21 times
 *   ->  D 943 of 1000, L 36 of 1000, M 21 of 1000, cycles 9412 of 1000
 */
#ifndef QN_COST_LOADS_H
#define QN_COST_LOADS_H

#include "cost/store.h"

#define QN_COST_OF_COUNTERS 2 /* `kept` of these findings */

/* A list from malloc, four findings for each instruction that loads, by map and address. */
struct qn_finding *qn_cost_find_loads(const struct qn_cost_store *store, size_t *count);

/* Sorts keys {pc, number}, by maps[number] and pc; those of equal ones keep their order. */
struct qn_text_key;
void qn_cost_sort_insns(struct qn_text_key *keys, const uint32_t *maps, size_t n);

#endif
