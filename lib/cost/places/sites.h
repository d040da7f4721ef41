/* lib/cost/places/sites.h - from the site of a reference (the index of its counters, arena.h) to its instruction.
 *
 *   qn_cost_index_sites(&sites, store);
 *   qn_cost_find_site(&sites, 4711, &map, &pc)     ->   map 3, pc 555555555140
 */
#ifndef QN_COST_SITES_H
#define QN_COST_SITES_H

#include "cost/store.h"

struct qn_cost_sites {
    const struct qn_cost_store *store;
    uint64_t count;
    struct qn_cost_site_block {
        uint32_t first, block; /* first counter, index of the block */
    } *list; /* sorted by first */
};

void qn_cost_index_sites(struct qn_cost_sites *s, const struct qn_cost_store *store);
void qn_cost_free_sites(struct qn_cost_sites *s);

/* false: no instruction has this counter. */
bool qn_cost_find_site(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc);

/* The same of a reference to data; writes: it is one that only writes. */
bool qn_cost_find_reference(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc, bool *writes);

#endif
