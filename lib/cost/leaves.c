/* lib/cost/leaves.c - sorted leaves.  See leaves.h. */
#include "cost/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static int compare(const void *left, const void *right)
{
    const struct qn_leave_rec *a = left, *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

void qn_cost_sort_leaves(struct qn_cost_leaves *l, const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *l = (struct qn_cost_leaves){ .count = e.leaves };
    l->list = QN_NEEDED(malloc((e.leaves + 1) * sizeof *l->list));
    memcpy(l->list, store->base + QN_ARENA_LEAVES_OFF, e.leaves * sizeof *l->list);
    qsort(l->list, e.leaves, sizeof *l->list, compare);
}

void qn_cost_free_leaves(struct qn_cost_leaves *l)
{
    free(l->list);
    *l = (struct qn_cost_leaves){ 0 };
}

void qn_cost_seek_leaves(struct qn_cost_leaves *l, uint32_t block)
{
    while (l->at < l->count && l->list[l->at].block < block)
        l->at++;
    l->block = block;
}

uint64_t qn_cost_count_executions(struct qn_cost_leaves *l, uint32_t insn, uint64_t x)
{
    for (; l->at < l->count && l->list[l->at].block == l->block && l->list[l->at].insn <= insn; l->at++)
        x -= l->list[l->at].count < x ? l->list[l->at].count : x;
    return x;
}
