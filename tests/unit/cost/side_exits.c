/* Executions that left a block early are subtracted from there on, however they are recorded. */
#include "cost/fold.h"
#include "tap.h"

static struct qn_cost_store store;

static void leave(uint32_t block, uint32_t insn, uint64_t count)
{
    struct qn_side_exit *list = (struct qn_side_exit *)(store.base + QN_ARENA_SIDE_EXITS_OFF);

    list[qn_cost_header(&store)->n_side_exits++] = (struct qn_side_exit){ block, insn, count };
}

int main(void)
{
    struct qn_cost_side_exits l;
    uint64_t x;

    if (qn_cost_create(&store))
        bail("no arena");
    leave(7, 2, 5);
    leave(3, 0, 1);
    leave(7, 2, 1);
    leave(9, 1, 1000);
    leave(7, 4, 2);
    qn_cost_sort_side_exits(&l, &store);
    qn_cost_seek_side_exits(&l, 2);
    is_int(qn_cost_count_executions(&l, 0, 10), 10, "a block without leaves");
    qn_cost_seek_side_exits(&l, 3);
    is_int(qn_cost_count_executions(&l, 0, 10), 9, "left before the first instruction");
    qn_cost_seek_side_exits(&l, 7);
    x = qn_cost_count_executions(&l, 1, 10);
    is_int(x, 10, "before the place where it was left");
    x = qn_cost_count_executions(&l, 2, x);
    is_int(x, 4, "at that place, two records for it");
    x = qn_cost_count_executions(&l, 3, x);
    is_int(x, 4, "behind it");
    x = qn_cost_count_executions(&l, 4, x);
    is_int(x, 2, "at a second place");
    qn_cost_seek_side_exits(&l, 9);
    is_int(qn_cost_count_executions(&l, 1, 10), 0, "never below nothing");
    qn_cost_seek_side_exits(&l, 10);
    is_int(qn_cost_count_executions(&l, 0, 10), 10, "behind the last leave");
    qn_cost_free_side_exits(&l);
    qn_cost_close(&store);
    return done_testing();
}
