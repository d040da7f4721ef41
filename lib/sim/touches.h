/* lib/sim/touches.h - the uses of lines that analyses of far lines are told of, in place of all uses.
 *
 *   program    A B A B C A D | E F E G | ...      near lines: at most 4, of which 2 stay; a use of a fifth one ends with | what came before
 *   list       A B C D (B C) | E F (A D) | G      ( ): lines that are no longer near, in the order of their last uses
 *
 * All near lines were used later than all other lines, the far ones; their entries in the D1's table have D1_FAR, so that emitted code does
 * not find them at once (sim/fast/near.h).  Emitted code (emit/touch.c), or C, records the use of a far line.  Analyses read many touches at
 * a time, in order: when the list is full, before something is taken back, and when translated code is left.
 */
#ifndef QN_SIM_TOUCHES_H
#define QN_SIM_TOUCHES_H

#include "base/base.h"

#define QN_TOUCHES 256u
#define QN_NEAR_MAX 16u
#define QN_FAR_BIT 62 /* D1_FAR: of the line in an entry of the filter's table */

enum { QN_TOUCH_LEFT = 1, QN_TOUCH_MORE = 2, QN_TOUCH_KIND_SHIFT = 2 };

struct qn_touch {
    uint64_t line, execution; /* execution, site: of the reference (sim/execution.h) */
    uint32_t site; /* as arg_site */
    uint32_t how;  /* LEFT: it is no longer near, in place of a use; MORE: its reference touched another line before; above: the kind,
                      SIM_READ: see the site */
};

struct qn_sim_touches {
    struct qn_touch *list; /* below 2 GiB; NULL: nobody reads them */
    uint64_t *count;       /* in the arena, so that the collector knows how many nobody has looked at; the next word: of these, LEFT */
    uint64_t full;         /* with so many, there is no room for another near line */
    uint64_t out;          /* number of near lines that the D1 has evicted */
    bool may_leave;        /* the D1 may evict near lines: there are more of them than ways */
};
extern struct qn_sim_touches qn_sim_touches; /* below 2 GiB */
/* Lines that become near are reported: only near lines hit under the filter, every hit writes its stamp, and all others are written down. */
static inline bool qn_sim_tells_far(void) { return qn_sim_touches.list != NULL; }
static inline bool qn_sim_touches_are_told(void) { return !qn_sim_touches.count || !*qn_sim_touches.count; }

#endif
