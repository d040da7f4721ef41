/* lib/cost/side_tables/sets.h - misses by set in each interval, as CSV: what `quern run --analysis=sets --interval=N` writes beside the profile.
 *
 *   cache,interval,start,end,set,sets,misses,of_rows
 *   D1,1,0,100000,0,1,312,640
 *
 * There is a row for each set with misses in each interval, and for the first set of every interval; start and end as in the file of
 * intervals.  If a cache has more than 256 sets, `sets` adjacent ones, from `set` on, are counted together.
 */
#ifndef QN_COST_SETS_H
#define QN_COST_SETS_H

#include "cost/store.h"
#include "text/error.h"

/* There is anything to write. */
bool qn_cost_has_sets(const struct qn_cost_store *store);
/* There was no room for all intervals: the last one holds the rest of the run. */
bool qn_cost_sets_full(const struct qn_cost_store *store);
/* instructions: of the run. */
enum qn_text_status qn_cost_write_sets(const char *path, const struct qn_cost_store *store, uint64_t instructions, struct qn_text_error *err);

#endif
