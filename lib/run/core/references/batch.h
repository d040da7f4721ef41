/* lib/run/core/references/batch.h - see batch.c. */
#ifndef QN_RUN_BATCH_H
#define QN_RUN_BATCH_H

#include "base/base.h"

void qn_batch_init(void);             /* after the simulators are set up */
unsigned qn_batch_scope(unsigned scope); /* the scope to run instead of this one */
void qn_batch_forked(void);           /* in a new process */
void qn_batch_look(void);             /* measures the miss rate, and chooses the filter or batches */

extern uint64_t qn_batch_misses_left; /* until the next measurement */

#define QN_BATCH_STAY 1000u /* an execution of batch code counts as at least so many misses, so that batches also end without misses */

/* Translated code has returned, and n references have missed level 1 in it. */
static inline void qn_batch_missed(uint64_t n)
{
    if (QN_UNLIKELY(n >= qn_batch_misses_left))
        qn_batch_look();
    else
        qn_batch_misses_left -= n;
}

#endif
