/* lib/sim/waits.h - an analysis that may be called late for some misses only (ANALYSIS_LATER, ANALYSIS_WAITS).
 *
 *   3c: a miss on a line last used at *until or before is a capacity miss, whatever happens later -> it waits (qn_sim_later)
 *       any other                                                                                 -> 3c is called for all that wait, then for it
 *
 * analysis_init sets sim_waits.  A table has lines that have left the D1, one for each place.  Emitted code compares the line that misses with
 * the table, and, if it waits, writes the victim there; in analysis_line the module does that itself.  Later analysis_waited is called in place
 * of analysis_line and analysis_miss: it counts `event`, and so does the collector if the program was killed before.  analysis_told is called
 * when it has been called for all misses before this time.
 */
#ifndef QN_SIM_WAITS_H
#define QN_SIM_WAITS_H

#include "base/base.h"

struct sim_left {
    uint64_t line, used; /* address of its first byte; time of its last use */
};

struct sim_waits {
    struct sim_left *left;   /* by number of the line & mask; NULL: no analysis asks for this */
    uint32_t mask;
    unsigned event;
    const uint64_t *until;
};
extern struct sim_waits sim_waits;

#endif
