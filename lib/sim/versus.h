/* lib/sim/versus.h - see versus.c. */
#ifndef QN_SIM_VERSUS_H
#define QN_SIM_VERSUS_H

#include "sim/unit.h"

void qn_versus_finish(void);

/* A branch, after the first simulator has predicted it: whether that was wrong. */
QN_SIM_NCSR void qn_versus_cond(uint64_t pc, bool taken, bool wrong);
QN_SIM_NCSR void qn_versus_indirect(uint64_t pc, uint64_t target, bool wrong);
/* Calls and returns, for a return stack of the second simulator; not compared. */
QN_SIM_NCSR void qn_versus_call(uint64_t next);
QN_SIM_NCSR void qn_versus_return(uint64_t target);

#endif
