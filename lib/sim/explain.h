/* lib/sim/explain.h - see explain.c. */
#ifndef QN_SIM_EXPLAIN_H
#define QN_SIM_EXPLAIN_H

#include "sim/unit.h"

/* An access, as the engine sees it. */
struct qn_explained {
    uint64_t addr;
    uint32_t size, site;
    unsigned kind, outcome; /* enum sim_kind; bit 0: D1 miss, bit 1: LL miss (after) */
    unsigned which;         /* of the lines that are explained, from 1; 0: none of them */
};

typedef QN_NCSR_TYPE unsigned qn_show_set(uint64_t line, uint64_t *lines);

/* What of the D1 is shown. */
struct qn_explain_shows {
    qn_show_set *set;
    enum qn_show order;
    qn_unit_state *state; /* NULL: the policy shows nothing of itself */
    const char *way_state, *set_state;
};

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *output, const struct qn_explain_shows *shows);

/* Round each data reference of the run. */
QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e);

#endif
