/* The columns of a profile, for each choice of simulations. */
#include "cost/events.h"
#include "tap.h"

static const char *choose(bool cache_sim, bool branch_sim)
{
    static char text[200];
    struct qn_cost_event_set set;
    size_t n = 0;

    qn_cost_choose_events(&set, cache_sim, branch_sim);
    for (int i = 0; i < set.count; i++)
        n += (size_t)sprintf(text + n, "%s%s", i ? " " : "", set.names[i]);
    return text;
}

int main(void)
{
    struct qn_cost_event_set set;

    is_str(choose(true, true), "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim", "caches and branches");
    is_str(choose(true, false), "Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw", "caches");
    is_str(choose(false, true), "Ir Bc Bcm Bi Bim", "branches");
    is_str(choose(false, false), "Ir", "neither");
    qn_cost_choose_events(&set, false, true);
    is_int(set.which[4], QN_COST_BIM, "a column knows its event");
    return done_testing();
}
