/* lib/cost/sets.h - misses by set in each interval, as CSV: what `quern run --analysis=sets --interval=N` writes beside the profile.
 *
 *   cache,interval,start,end,set,sets,misses,of_rows
 *   D1,1,0,100000,0,1,312,640
 *
 * A row for each set of each interval that has misses, and for the first set of every interval; start and end as in the file of the intervals.
 * Where a cache has more than 256 sets, several that follow each other are counted together: `sets` of them, from `set` on.
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
