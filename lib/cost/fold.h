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

#include <stdbool.h>
#include <stdint.h>

#include "cost/events.h"
#include "cost/places/places.h"
#include "cost/profile.h"
#include "cost/store.h"
#include "prof/table/table.h"
#include "text/error.h"

/* ---- side exits: executions that left a block early, in the order in which blocks are folded ----
 *
 *   leaves (7, insn 2, 5 times), (3, insn 0, 1), (7, insn 2, 1)  ->  3: {0, 1}   7: {2, 6}
 *
 *   qn_cost_sort_side_exits(&l, store);
 *   for (block = 0; ...; block++) { qn_cost_seek_side_exits(&l, block);
 *       for (insn = 0; ...; insn++) x = qn_cost_count_executions(&l, insn, x); }
 */

struct qn_cost_side_exits {
    struct qn_side_exit *list; /* sorted by block, insn */
    uint64_t count, at;
    uint32_t block;
};

void qn_cost_sort_side_exits(struct qn_cost_side_exits *l, const struct qn_cost_store *store);
void qn_cost_free_side_exits(struct qn_cost_side_exits *l);

/* Blocks must be asked for in rising order. */
void qn_cost_seek_side_exits(struct qn_cost_side_exits *l, uint32_t block);

/* x less every leave before or at instruction `insn` that was not subtracted yet; never below 0. */
uint64_t qn_cost_count_executions(struct qn_cost_side_exits *l, uint32_t insn, uint64_t x);

/* ---- events of simulator modules, by the site that they are charged to (arena.h) ----
 *
 *   rows of the arena: [900 | 1 0] [4711 | 3 2]        two events
 *   qn_cost_add_charges(&c, 4700, 4720, sum)           sum += { 3, 2 }: the sites of one instruction
 */

struct qn_cost_charges {
    uint32_t events;
    uint64_t count;
    struct qn_cost_charge {
        uint32_t site;
        const uint64_t *counts; /* in the arena */
    } *list; /* sorted by site */
};

void qn_cost_sort_charges(struct qn_cost_charges *c, const struct qn_cost_store *store);
void qn_cost_free_charges(struct qn_cost_charges *c);

/* Adds what is charged to sites first to end - 1.  false: a count was damaged and was taken as 0. */
bool qn_cost_add_charges(const struct qn_cost_charges *c, uint32_t first, uint32_t end, int64_t sum[]);

/* ---- lines ---- */

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

/* ---- the regions of a run: their paths, and what was counted for each ----
 *
 *   arena: region 1 = { 0, "solve" }, region 2 = { 1, "step" }     ->   "solve", "solve/step"
 *
 * Invariants: nothing of the arena is trusted; a region for which nothing was counted is left out.
 */

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
