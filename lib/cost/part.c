/* lib/cost/part.c - subtracts an earlier copy of an arena from it.  See part.h.
 *
 * Results of the whole run are not subtracted: those of --interval, --explain, --watch and analyses, and the amounts allocated.
 */
#include "cost/part.h"

#include "cost/calls/calls.h"

int qn_cost_take_part(struct qn_cost_store *to, const struct qn_cost_store *from)
{
    int error = qn_cost_copy(to, from);

    if (!error)
        qn_cost_close_calls(to);
    return error;
}

void qn_cost_begin_at(const struct qn_cost_store *store, const struct qn_cost_store *then)
{
    struct qn_arena_header *h = qn_cost_header(store);
    const struct qn_arena_header *less = qn_cost_header(then);

    qn_cost_close_calls(store);
    qn_cost_subtract_calls(store, then);
    qn_cost_subtract_tables(store, then);
    for (unsigned i = 0; i < 2; i++)
        h->data_lost[i] -= less->data_lost[i];
    h->evicted_lost -= less->evicted_lost;
    h->used_lost -= less->used_lost;
}
