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

static void test_modules(struct qn_cost_event_set *set)
{
    static struct qn_sim_output output = { .events = 3, .names = { "D1.writebacks", "a b\n\xff" } };

    memset(output.names[2], 'x', sizeof output.names[2]);
    qn_cost_choose_events(set, false, false);
    qn_cost_add_module_events(set, &output, false);
    is_int(set->count, 4, "events of modules are columns, too");
    is_str(set->names[1], "D1.writebacks", "with their names");
    is_int(set->which[1], QN_COST_EVENTS, "and numbers");
    is_str(set->names[2], "a?b??", "what cannot stand in a name is replaced");
    is_int((int64_t)strlen(set->names[3]), QN_SIM_EVENT_NAME - 1, "a name without end is cut");
    output.events = 0xffffffff;
    qn_cost_choose_events(set, true, true);
    qn_cost_add_module_events(set, &output, false);
    is_int(set->count, QN_COST_COLUMNS, "a number of events that cannot be is cut");
    is_str(set->names[QN_COST_COLUMNS - 1], "?", "an event without a name has one");
}

static void test_L2(struct qn_cost_event_set *set)
{
    const struct qn_sim_output output = { .events = 4, .names = { "I2mr", "D2mr", "D2mw", "LL.x" } };
    static const char *const names[] = { "Ir", "I1mr", "I2mr", "ILmr", "Dr", "D1mr", "D2mr", "DLmr", "Dw", "D1mw", "D2mw", "DLmw", "LL.x" };
    bool right = true;

    qn_cost_choose_events(set, true, false);
    qn_cost_add_module_events(set, &output, true);
    for (int i = 0; i < 13; i++)
        right &= !strcmp(set->names[i], names[i]);
    ok(right && set->count == 13, "misses of an L2 stand before those of the LL");
    is_int(set->which[6], QN_COST_D2MR, "... and know their events");
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
    test_modules(&set);
    test_L2(&set);
    return done_testing();
}
