/* lib/cost/events.h - the names and order of what is counted, and which of it a run shows.
 *
 *   qn_cost_choose_events(&set, cache_sim = false, branch_sim = true)  ->  Ir Bc Bcm Bi Bim
 *
 * The order is Cachegrind's and never changes; `which` maps a column of the profile to its event.
 */
#ifndef QN_COST_EVENTS_H
#define QN_COST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

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

struct qn_cost_event_set {
    int count;
    uint8_t which[QN_COST_EVENTS];
    const char *names[QN_COST_EVENTS];
};

void qn_cost_choose_events(struct qn_cost_event_set *set, bool cache_sim, bool branch_sim);

#endif
