/* lib/sim/branches.h - what engine.c calls of branches.c, and the other way round. */
#ifndef QN_SIM_BRANCHES_H
#define QN_SIM_BRANCHES_H

#include "sim/unit.h"

/* A predictor asks for the branches of the other slot: emitted code then predicts none of those. */
extern bool qn_branches_coupled;

void qn_branches_init_fast(bool BC, bool BI, bool cores); /* the fast version is in these slots */
/* When the units are set up.  BC, BI: NULL: no unit. */
void qn_branches_init(const struct qn_unit *BC, const struct qn_unit *BI);
void qn_branches_log_begin(void);
void qn_branches_turn(uint32_t core); /* --cores: before the units' turn; those of fast versions, too */

/* engine.c: a word of a recorder's log (contract.h). */
void qn_sim_log_pair(uint64_t value, uint32_t site, uint32_t kind);

#endif
