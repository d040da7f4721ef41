/* lib/run/core/gone.h - see gone.c. */
#ifndef QN_RUN_GONE_H
#define QN_RUN_GONE_H

#include "run/run.h"

void qn_gone_reading(bool on);                              /* the translator reads code, and holds nothing yet */
bool qn_gone_take(struct qn_ucontext *uc, uint64_t addr);   /* of a SIGBUS in the engine: it goes on elsewhere */
bool qn_gone_fetch(uint64_t pc);                            /* control is where no code is; true: that was it */

#endif
