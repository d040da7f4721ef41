/* lib/sim/charge.h - see charge.c. */
#ifndef QN_SIM_CHARGE_H
#define QN_SIM_CHARGE_H

#include "sim/unit.h"

/* Rows and totals lie in the arena. */
void qn_sim_charge_init(struct qn_sim_output *where, uint64_t *rows);

/* The reference at this site is done: what modules have counted since the last one is its own.  0 = no reference. */
QN_SIM_NCSR void qn_sim_charge(uint32_t site);

#endif
