/* lib/cost/events.h - the names and the order of events, and the choice of those that a run shows.
 *
 *   qn_cost_choose_events(&set, cache_sim = false, branch_sim = true)  ->  Ir Bc Bcm Bi Bim
 *
 * The order is Cachegrind's and never changes; events of simulator modules follow: event i of the arena is
 * QN_COST_EVENTS + i.  Those of an L2 stand before those of the LL: Ir I1mr I2mr ILmr.  `which` maps a column of the profile to its event.
 */
#ifndef QN_COST_EVENTS_H
#define QN_COST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/arena.h"

#define QN_EVENT_LIST(X)                                                                           \
    X(IR, "Ir") X(I1MR, "I1mr") X(ILMR, "ILmr")                                                    \
    X(DR, "Dr") X(D1MR, "D1mr") X(DLMR, "DLmr")                                                    \
    X(DW, "Dw") X(D1MW, "D1mw") X(DLMW, "DLmw")                                                    \
    X(BC, "Bc") X(BCM, "Bcm") X(BI, "Bi") X(BIM, "Bim")

enum qn_cost_event {
#define X(id, name) QN_COST_##id,
    QN_EVENT_LIST(X)
#undef X
    QN_COST_EVENTS
};

#define QN_COST_COLUMNS (QN_COST_EVENTS + QN_SIM_EVENTS_MAX)

/* Of a run with an L2, its misses are the first events of modules. */
enum { QN_COST_I2MR = QN_COST_EVENTS, QN_COST_D2MR, QN_COST_D2MW };
#define QN_L2_EVENTS 3u
#define QN_L2_EVENT_NAMES { "I2mr", "D2mr", "D2mw" }

struct qn_cost_event_set {
    int count;
    uint8_t which[QN_COST_COLUMNS];
    const char *names[QN_COST_COLUMNS];
    char module_names[QN_SIM_EVENTS_MAX][QN_SIM_EVENT_NAME]; /* memory for names of module events */
};

void qn_cost_choose_events(struct qn_cost_event_set *set, bool cache_sim, bool branch_sim);

/* Adds the events that modules declared.  The arena is not trusted: bytes that cannot stand in a name become '?'. */
void qn_cost_add_module_events(struct qn_cost_event_set *set, const struct qn_sim_output *output, bool L2);

#endif
