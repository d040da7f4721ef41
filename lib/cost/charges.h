/* lib/cost/charges.h - events of simulator modules, by the site that they are charged to (arena.h).
 *
 *   rows of the arena: [900 | 1 0] [4711 | 3 2]        two events
 *   qn_cost_add_charges(&c, 4700, 4720, sum)           sum += { 3, 2 }: the sites of one instruction
 */
#ifndef QN_COST_CHARGES_H
#define QN_COST_CHARGES_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/store.h"

struct qn_cost_charges {
    uint32_t events;
    uint64_t count;
    struct qn_cost_charge {
        uint32_t site;
        const uint64_t *counts; /* in the arena */
    } *list; /* sorted by site */
};

void qn_cost_sort_charges(struct qn_cost_charges *c, const struct qn_cost_store *store);
void qn_cost_free_charges(struct qn_cost_charges *c);

/* Adds what is charged to sites first to end - 1.  false: a count was damaged and was taken as 0. */
bool qn_cost_add_charges(const struct qn_cost_charges *c, uint32_t first, uint32_t end, int64_t sum[]);

#endif
