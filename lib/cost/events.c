/* lib/cost/events.c - chooses the columns of a profile.  See events.h. */
#include "cost/events.h"

#include <stdio.h>

static const char *const names[QN_COST_EVENTS] = {
#define X(id, name) name,
    QN_EVENT_LIST(X)
#undef X
};

void qn_cost_choose_events(struct qn_cost_event_set *set, bool cache_sim, bool branch_sim)
{
    set->count = 0;
    for (int e = 0; e < QN_COST_EVENTS; e++) {
        bool shown = e == QN_COST_IR || (e >= QN_COST_BC ? branch_sim : cache_sim);

        if (!shown)
            continue;
        set->which[set->count] = (uint8_t)e;
        set->names[set->count++] = names[e];
    }
}

/* Inserts a column behind those of the level before: I2mr behind I1mr. */
static void insert(struct qn_cost_event_set *set, uint32_t event, const char *name)
{
    static const uint8_t behind[] = { QN_COST_I1MR, QN_COST_D1MR, QN_COST_D1MW };
    int at = set->count++;

    for (; at > 1 && set->which[at - 1] != behind[event]; at--) {
        set->which[at] = set->which[at - 1];
        set->names[at] = set->names[at - 1];
    }
    set->which[at] = (uint8_t)(QN_COST_EVENTS + event);
    set->names[at] = name;
}

void qn_cost_add_module_events(struct qn_cost_event_set *set, const struct qn_sim_output *output, bool L2)
{
    for (uint32_t i = 0; i < output->events && i < QN_SIM_EVENTS_MAX; i++) {
        char *name = set->module_names[i];

        snprintf(name, QN_SIM_EVENT_NAME, "%.*s", QN_SIM_EVENT_NAME - 1, output->names[i][0] ? output->names[i] : "?");
        for (char *p = name; *p; p++)
            if (*p <= ' ' || *p > '~')
                *p = '?';
        if (L2 && i < QN_L2_EVENTS) {
            insert(set, i, name);
            continue;
        }
        set->which[set->count] = (uint8_t)(QN_COST_EVENTS + i);
        set->names[set->count++] = name;
    }
}
