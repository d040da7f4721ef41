/* lib/cost/regions.h - the regions of a run: their paths, and what was counted for each.
 *
 *   arena: region 1 = { 0, "solve" }, region 2 = { 1, "step" }     ->   "solve", "solve/step"
 *
 * Invariants: nothing of the arena is trusted; a region for which nothing was counted is left out.
 */
#ifndef QN_COST_REGIONS_H
#define QN_COST_REGIONS_H

#include "cost/fold.h"
#include "cost/profile.h"

#define QN_COST_REGION_PATH 1024 /* bytes; deeper paths are cut */

struct qn_cost_regions {
    struct qn_cost_region list[QN_ARENA_REGIONS_MAX];
    int count;
};

/* Folds each region into a table of its own, in order of their paths.  `detail` as for the whole. */
enum qn_text_status qn_cost_fold_regions(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                         struct qn_cost_modules *modules, enum qn_prof_detail detail,
                                         struct qn_cost_regions *regions, struct qn_text_error *err);
void qn_cost_free_regions(struct qn_cost_regions *regions);

#endif
