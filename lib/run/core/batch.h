/* lib/run/core/batch.h - see batch.c. */
#ifndef QN_RUN_BATCH_H
#define QN_RUN_BATCH_H

#include "base/base.h"

void qn_batch_init(void);             /* the simulators are set up */
unsigned qn_batch_home(unsigned home); /* the home to run in place of this one */
void qn_batch_forked(void);           /* this is a new process */
void qn_batch_look(void);             /* so many misses more: see what share of the references they are */

extern uint64_t qn_batch_misses_left; /* until the next look */

#define QN_BATCH_STAY 1000u /* a stay in a batch's code counts as so many misses at least, so that one without any ends it, too */

/* Translated code has come back, and this many references have missed level 1 meanwhile. */
static inline void qn_batch_missed(uint64_t n)
{
    if (QN_UNLIKELY(n >= qn_batch_misses_left))
        qn_batch_look();
    else
        qn_batch_misses_left -= n;
}

#endif
