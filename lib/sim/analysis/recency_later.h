/* analysis/recency_later.h - recency.h for misses that wait (sim/module.h).
 *
 *   recency_wait(&r, event)              after recency_init
 *   recency_waited(&r, at, used)         in analysis_waited: this miss was on a line that FA does not hold; at: recency_of the victim
 *   recency_told(&r)                     in analysis_told
 *
 * Such a miss needs no stamp of the D1.  It evicts a line from FA, and the victim may be a line that FA still holds; both are recorded in the
 * order of the misses.  The D1 is searched only when all misses are recorded, because its stamps are those of now.
 */
#ifndef QN_SIM_ANALYSIS_RECENCY_LATER_H
#define QN_SIM_ANALYSIS_RECENCY_LATER_H

#include "sim/analysis/recency.h"

#define RECENCY_LEFT (1u << 17) /* lines: 8 MiB of 64 bytes each */

static inline void recency_wait(struct recency *r, unsigned event)
{
    sim_waits = (struct sim_waits){.left = sim_alloc(RECENCY_LEFT * sizeof *sim_waits.left), .mask = RECENCY_LEFT - 1, .event = event,
                                   .until = &r->hopeless};
    sim_waits.left[0].line = 1; /* not the line of address 0 */
}

static inline void recency_waited(struct recency *r, uint64_t *victim, uint64_t used)
{
    if (used)
        recency_leaves(r, victim, used);
    recency_missed(r);
}

static inline void recency_told(struct recency *r)
{
    if (QN_UNLIKELY(r->n >= r->room))
        recency_look(r);
}

#endif
