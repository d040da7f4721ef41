/* lib/sim/comes.h - lines that become near, for an analysis of far lines that can wait (ANALYSIS_FAR_LATER).
 *
 * If it is the only analysis of far lines of the run, it is not called for each such line.  The line is put in a list: by emitted code if the
 * line is in its home (emit/far_stub.c), else by fast_D1_ref_comes (fast/near.h).  qn_sim_near_tell then calls the analysis.  It is called
 * when the list is full, before analyses are called for something else, and when translated code is left.
 */
#ifndef QN_SIM_COMES_H
#define QN_SIM_COMES_H

#include "base/base.h"

#define QN_COMES_MAX 8u
#define QN_FAR_BIT 62         /* D1_FAR: of the line in an entry of the filter's table */

/* Lines that become near (struct sim_far, module.h) are reported: only near lines hit under the filter, every hit writes its stamp, and
 * all other references call, or are put in the list. */
extern bool qn_sim_tells_far;

struct qn_come {
    uint64_t line, home;      /* home: offset of its home in the filter's table */
    uint64_t site, execution; /* of the reference (sim/execution.h) */
};

struct qn_sim_comes {
    struct qn_come at[QN_COMES_MAX];
    uint64_t *count;          /* in the arena, so that the collector knows how many were not told; NULL: there is no such analysis */
    uint32_t full;            /* so many are a full list */
};
extern struct qn_sim_comes qn_sim_comes; /* below 2 GiB */
static inline bool qn_sim_near_is_told(void) { return !qn_sim_comes.count || !*qn_sim_comes.count; }

#endif
