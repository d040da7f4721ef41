/* lib/cost/summary.h - the figures that a run prints when it ends, as Cachegrind's classic manual has them.
 *
 *   I   refs:      27,742,716
 *   I1  misses:           276
 *
 * Invariants: the numbers are the totals of the profile file; the column widths follow from the
 * largest of each column.
 */
#ifndef QN_COST_SUMMARY_H
#define QN_COST_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/events.h"

/* Calls `put` for each line, without newline.  L2: its misses; NULL: there is none.  local_rates adds the LL misses per L1 miss, or, with an
 * L2, each level's misses per miss of the one above. */
void qn_cost_print_summary(const int64_t totals[QN_COST_EVENTS], const int64_t L2[QN_L2_EVENTS], bool cache_sim, bool branch_sim, bool local_rates,
                           void (*put)(void *, const char *), void *data);

#endif
