/* Rows of module events: found by the sites of an instruction, whatever their order and however damaged. */
#include "cost/fold.h"

#include <string.h>

#include "cost/count.h"
#include "tap.h"

static struct qn_cost_store store;

static void add_row(uint64_t site, uint64_t a, uint64_t b)
{
    struct qn_sim_output *o = &qn_cost_header(&store)->sim_output;
    uint64_t *row = (uint64_t *)(store.base + QN_ARENA_CHARGES_OFF) + 3 * o->charges++;

    row[0] = site;
    row[1] = a;
    row[2] = b;
}

/* "a b" of sites first to end - 1, "!" behind it if a count was damaged */
static const char *sum(const struct qn_cost_charges *c, uint32_t first, uint32_t end)
{
    static char text[100];
    int64_t counts[QN_SIM_EVENTS_MAX] = { 0 };
    bool sound = qn_cost_add_charges(c, first, end, counts);

    sprintf(text, "%" PRId64 " %" PRId64 "%s", counts[0], counts[1], sound ? "" : " !");
    return text;
}

static void test_damage(void)
{
    struct qn_cost_charges c;
    struct qn_cost_extent e;

    add_row(50, QN_COST_COUNTER_MAX + 1, 3);
    qn_cost_sort_charges(&c, &store);
    is_str(sum(&c, 50, 51), "0 3 !", "a count that cannot be is taken as 0, and said");
    qn_cost_free_charges(&c);
    qn_cost_header(&store)->sim_output.events = 0xffffffff;
    qn_cost_header(&store)->sim_output.charges = ~0ull;
    e = qn_cost_get_extent(&store);
    is_int((int64_t)e.charges, (int64_t)(QN_ARENA_CHARGES_SIZE / (8 * (1 + QN_SIM_EVENTS_MAX))), "rows beyond the room are cut");
    qn_cost_header(&store)->sim_output.charges = 10;
    qn_cost_sort_charges(&c, &store);
    is_int((int64_t)c.count, 10, "nonsense can be sorted");
    qn_cost_free_charges(&c);
}

int main(void)
{
    struct qn_cost_charges c;
    struct qn_cost_store copy;

    if (qn_cost_create(&store))
        bail("no arena");
    qn_cost_header(&store)->sim_output.events = 2;
    qn_cost_sort_charges(&c, &store);
    is_str(sum(&c, 0, 100), "0 0", "no counts");
    qn_cost_free_charges(&c);
    add_row(40, 1, 10);
    add_row(8, 2, 20);
    add_row(0, 3, 30);
    add_row(42, 4, 40);
    qn_cost_sort_charges(&c, &store);
    is_str(sum(&c, 8, 9), "2 20", "one site");
    is_str(sum(&c, 9, 40), "0 0", "none between");
    is_str(sum(&c, 40, 44), "5 50", "the sites of an instruction are added up");
    is_str(sum(&c, 43, 43), "0 0", "an instruction without sites");
    is_str(sum(&c, 0, 1), "3 30", "what belongs to no reference");
    qn_cost_free_charges(&c);
    is_int(qn_cost_copy(&copy, &store), 0, "a forked guest inherits them");
    qn_cost_sort_charges(&c, &copy);
    is_str(sum(&c, 40, 44), "5 50", "all of them");
    qn_cost_free_charges(&c);
    qn_cost_close(&copy);
    test_damage();
    qn_cost_close(&store);
    return done_testing();
}
