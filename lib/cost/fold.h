/* lib/cost/fold.h - folds the counts of an arena by source line.
 *
 *   arena: block at 401020, 3 instructions, executed 10 times
 *   table: ("/src/a.c", "main", 12) += Ir 20 ...,  ("/src/a.c", "main", 13) += Ir 10 ...
 *
 * Invariants: what the arena says is checked at every index; damage costs the block that it is in
 * and is reported in `damaged`, never a crash or an endless loop.  The work is bounded by the size
 * of the arena.
 */
#ifndef QN_COST_FOLD_H
#define QN_COST_FOLD_H

#include <stdint.h>

#include "cost/events.h"
#include "cost/places/modules.h"
#include "cost/store.h"
#include "text/error.h"
#include "prof/table/table.h"

struct qn_cost_result {
    int64_t totals[QN_COST_COLUMNS]; /* every event, shown or not */
    int64_t aside[QN_COST_COLUMNS]; /* the same of what was simulated while counting was off; in no table */
    uint64_t executions;            /* of blocks */
    uint64_t damaged;               /* blocks that could not be used */
    const char *program;            /* set before: the path of the program; NULL: not asked */
    bool has_program, has_lines;    /* code of the program was executed; some of it has a line */
};

#define QN_COST_ALL_REGIONS UINT32_MAX

/* Adds everything, or what was counted for one region, to `table`, which has events->count columns. */
enum qn_text_status qn_cost_fold(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                 struct qn_cost_modules *modules, uint32_t region, struct qn_prof_table *table,
                                 struct qn_cost_result *result, struct qn_text_error *err);

#endif
