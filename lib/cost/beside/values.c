/* lib/cost/beside/values.c - findings of lists of frequent values.  See values.h.
 *
 * The occurrences of a value before it entered the list (sim/analysis/hotlist.h) are not in its count; the estimate adds 0.418 tau - 1 for
 * them.  A value whose estimate is below tau is in the list by chance.
 * Source: P. B. Gibbons, Y. Matias, New sampling-based summary statistics for improving approximate query answers, SIGMOD 1998 (its hot lists). */
#include "cost/beside/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* The largest count first; free entries last. */
static void sort(struct qn_value_list *list, size_t entries)
{
    for (size_t i = 1; i < entries; i++)
        for (size_t k = i; k && list->hot[k - 1].count < list->hot[k].count; k--) {
            uint64_t value = list->hot[k].value, count = list->hot[k].count;

            list->hot[k] = list->hot[k - 1];
            list->hot[k - 1].value = value;
            list->hot[k - 1].count = count;
        }
}

/* How often value i of the list occurred; 0: too rare for an estimate. */
static uint64_t estimate(const struct qn_value_list *list, size_t i)
{
    uint64_t tau = list->tau ? list->tau : 1, missing = tau * 418 / 1000, n = list->hot[i].count + (missing > 1 ? missing - 1 : 0);

    if (!list->hot[i].count || n < tau)
        return 0;
    return n < list->total ? n : list->total;
}

size_t qn_cost_estimate_values(struct qn_value_list *list, size_t entries, struct qn_finding rows[QN_VALUE_ENTRIES_MAX])
{
    size_t n = 0;

    sort(list, entries);
    for (size_t i = 0; i < entries; i++) {
        uint64_t count = estimate(list, i);

        if (!count && i)
            continue;
        rows[n] = (struct qn_finding){ .pc = list->pc, .map = (uint32_t)list->map, .value = count ? list->hot[i].value : 0, .count = count, .of = list->total };
        memcpy(rows[n++].what, list->what, sizeof list->what);
    }
    return n;
}

void qn_cost_add_values(const struct qn_cost_store *store, struct qn_finding **rows, uint64_t *count)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_value_list *copy = QN_NEEDED(malloc(e.value_list_bytes)); /* the engine may still write */
    size_t room = *count, entries = (e.value_list_bytes - sizeof *copy) / sizeof copy->hot[0];

    for (uint64_t i = 0; i < e.value_lists; i++) {
        while (room < *count + QN_VALUE_ENTRIES_MAX)
            QN_MORE(*rows, room, room, 1024);
        memcpy(copy, store->base + QN_ARENA_VALUES_OFF + i * e.value_list_bytes, e.value_list_bytes);
        *count += qn_cost_estimate_values(copy, entries, *rows + *count);
    }
    free(copy);
}
