/* lib/cost/side_tables/intervals.h - writes the counts of each interval of a run as comma-separated values.
 *
 *   interval,start,end,Ir,I1mr,ILmr,Dr,D1mr,...,I1mr%,D1m%,LLmr%,MPKI,of_rows
 *   1,0,1000,1000,3,3,312,14,...,0.3000,3.8462,0.7092,9.0000,2
 *   2,1000,1840,840,...
 *
 * A row per interval: instructions (Ir) counted before it and up to its end, every event of the profile, then rates: miss
 * rates in percent of the references, misprediction rates in percent of the branches, LL misses per 1000
 * instructions.  A rate whose denominator is 0 is an empty cell.  of_rows: the number of rows of the file.
 *
 * Invariants: every column of counts adds up to the total of the profile.  The last row is what the totals leave over: the
 * interval in which the program ended, however it ended.
 */
#ifndef QN_COST_INTERVALS_H
#define QN_COST_INTERVALS_H

#include <stdbool.h>

#include "cost/events.h"
#include "cost/store.h"
#include "text/error.h"

/* Writes `path`, whole or not at all. */
enum qn_text_status qn_cost_write_intervals(const char *path, const struct qn_cost_store *store,
                                            const struct qn_cost_event_set *events,
                                            const int64_t totals[QN_COST_COLUMNS], struct qn_text_error *err);

/* The engine had no room for more rows: the last one holds several intervals. */
bool qn_cost_intervals_full(const struct qn_cost_store *store);

#endif
