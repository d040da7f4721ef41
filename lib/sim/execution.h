/* lib/sim/execution.h - what one execution of a block has counted, so that a fault can take it back.
 *
 *   executions of the block      1        2        3
 *   misses at site 4711          1, ring  -        -, then the instruction faults: 3 is not 1, so the miss of the first one stays
 *
 * When an instruction faults, what its references, and later ones of its block, have counted in this execution of the block is taken back
 * (run/core/arena.c).  So each record of what was counted has the number of the execution: the count of executions of the site's block.
 */
#ifndef QN_SIM_EXECUTION_H
#define QN_SIM_EXECUTION_H

#include "base/base.h"

extern uint32_t *qn_sim_executions; /* by site: address of that count, below 4 GiB; 0: of no block; NULL: in a replay */
extern bool qn_sim_is_old;          /* what is being simulated belongs to an execution that has ended */

static inline uint64_t qn_sim_execution(uint32_t site)
{
    uint32_t at = qn_sim_executions ? qn_sim_executions[site] : 0;

    return qn_sim_is_old || !at ? 0 : *(const uint64_t *)(uintptr_t)at;
}

/* What is taken back: the sites first to end - 1, of one block, in this execution. */
struct qn_sim_part {
    uint64_t execution;
    uint32_t first, end;
};

static inline bool qn_sim_is_part(const struct qn_sim_part *p, uint64_t site, uint64_t execution)
{
    return execution == p->execution && site >= p->first && site < p->end;
}

/* A ring of the last misses, the newest at qn_sim_miss_count - 1.  The dispatcher sets the count to 0 whenever it enters translated code,
 * because nothing before that is taken back. */
#define QN_SIM_MISSES 256u /* QN_EVENTS_MAX: more than all references of a block, except those of string instructions, which come later */
struct qn_sim_miss {
    uint64_t execution;
    uint32_t counter, ll;           /* index of the counter pair; 1: the LL missed, too */
};
extern struct qn_sim_miss qn_sim_misses[QN_SIM_MISSES];
extern uint64_t qn_sim_miss_count;
/* Takes back the events of modules; this count is reset in the same way. */
extern uint64_t qn_sim_charge_count;
extern uint64_t sim_undo_count; /* and for words of analyses (sim_undoable in sim/module.h) */
void qn_sim_uncharge(const struct qn_sim_part *part);

#endif
