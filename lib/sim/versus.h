/* lib/sim/versus.h - what run --versus counts: see versus.c. */
#ifndef QN_SIM_VERSUS_H
#define QN_SIM_VERSUS_H

#include "sim/unit.h"

void qn_versus_init(const struct qn_config *config, struct qn_versus *where);
/* Compares the outcomes of a reference or branch, a in A and b in B: bit 0 L1 miss or mispredict, bit 1 LL miss. */
QN_SIM_NCSR void qn_versus_follow(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t site, unsigned a, unsigned b);
void qn_versus_finish(void);
extern uint64_t qn_versus_counted; /* references and branches, also those that cannot differ, which are not compared */

#endif
