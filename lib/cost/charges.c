/* lib/cost/charges.c - sorted rows of module events.  See charges.h. */
#include "cost/charges.h"

#include <stdlib.h>

#include "base/base.h"
#include "cost/count.h"

static int compare(const void *left, const void *right)
{
    const struct qn_cost_charge *a = left, *b = right;

    return a->site < b->site ? -1 : a->site > b->site;
}

bool qn_cost_sort_charges(struct qn_cost_charges *c, const struct qn_cost_store *store)
{
    const uint64_t *row = (const uint64_t *)(store->base + QN_ARENA_CHARGES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    size_t words = e.charge_bytes / sizeof(uint64_t);

    *c = (struct qn_cost_charges){ .events = (uint32_t)words - 1, .count = e.charges };
    c->list = malloc((e.charges + 1) * sizeof *c->list);
    if (!c->list)
        return false;
    for (uint64_t i = 0; i < e.charges; i++, row += words)
        c->list[i] = (struct qn_cost_charge){ (uint32_t)*(const volatile uint64_t *)row, row + 1 };
    qsort(c->list, e.charges, sizeof *c->list, compare);
    return true;
}

void qn_cost_free_charges(struct qn_cost_charges *c)
{
    free(c->list);
    *c = (struct qn_cost_charges){ 0 };
}

bool qn_cost_add_charges(const struct qn_cost_charges *c, uint32_t first, uint32_t end, int64_t sum[])
{
    bool sound = true;

    for (uint64_t i = QN_COUNT_WHILE(k, c->count, c->list[k].site < first); i < c->count && c->list[i].site < end; i++)
        for (uint32_t event = 0; event < c->events; event++) {
            uint64_t n = ((const volatile uint64_t *)c->list[i].counts)[event];

            if (n <= QN_COST_COUNTER_MAX)
                sum[event] += (int64_t)n;
            else
                sound = false;
        }
    return sound;
}
