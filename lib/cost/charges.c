/* lib/cost/charges.c - sorted rows of module events.  See charges.h. */
#include "cost/charges.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "cost/count.h"

static int compare(const void *left, const void *right)
{
    const struct qn_cost_charge *a = left, *b = right;

    return a->site < b->site ? -1 : a->site > b->site;
}

/* Misses that an analysis had not looked at when the program was killed: each counts its event once. */
static void add_waiting(struct qn_cost_charges *c, const struct qn_cost_store *store)
{
    static uint64_t once[QN_SIM_EVENTS_MAX];
    const volatile struct qn_table_head *head = &qn_cost_header(store)->sim_output.tables;
    uint64_t cell = head->waiting, event = head->waits - 1u;
    const volatile struct qn_waiting *w = (const void *)(store->base + QN_ARENA_TABLES_OFF + QN_TABLE_CELLS_OFF + cell * sizeof(uint64_t));

    if (event >= c->events || cell > QN_TABLE_CELLS_SIZE / sizeof(uint64_t) - sizeof *w / sizeof(uint64_t))
        return;
    memset(once, 0, sizeof once);
    once[event] = 1;
    for (uint64_t i = w->told, n = w->misses; i < n && i < QN_WAITING_MAX; i++)
        c->list[c->count++] = (struct qn_cost_charge){ w->site[i], once };
}

void qn_cost_sort_charges(struct qn_cost_charges *c, const struct qn_cost_store *store)
{
    const uint64_t *row = (const uint64_t *)(store->base + QN_ARENA_CHARGES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    size_t words = e.charge_bytes / sizeof(uint64_t);

    *c = (struct qn_cost_charges){ .events = (uint32_t)words - 1, .count = e.charges };
    c->list = QN_NEEDED(malloc((e.charges + 1 + QN_WAITING_MAX) * sizeof *c->list));
    for (uint64_t i = 0; i < e.charges; i++, row += words)
        c->list[i] = (struct qn_cost_charge){ (uint32_t)*(const volatile uint64_t *)row, row + 1 };
    add_waiting(c, store);
    qsort(c->list, c->count, sizeof *c->list, compare);
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
