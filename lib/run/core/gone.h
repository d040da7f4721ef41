/* lib/run/core/gone.h - see gone.c. */
#ifndef QN_RUN_GONE_H
#define QN_RUN_GONE_H

#include "run/run.h"

void qn_gone_reading(bool on);                              /* the translator begins or ends reading code; it can be restarted meanwhile */
bool qn_gone_take(struct qn_ucontext *uc, uint64_t addr);   /* a SIGBUS in the engine; true: it was handled, and the dispatcher restarts */
bool qn_gone_fetch(uint64_t pc);                            /* control reached an address without code; true: this was the cause, and it was handled */

#endif
