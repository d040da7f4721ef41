/* lib/cost/side_tables/branches.h - the source line of each translated branch, as CSV: `run --branches-file`.
 *
 *   pc,file,source_line,function
 *   0x401146,/src/a.c,14,main
 *
 * It has conditional and indirect branches, and, if a module predicts returns, all calls and returns.  Addresses are those of the run, as in its trace.  An
 * instruction in several blocks, or translated twice, has several rows.  source_line 0: unknown.
 */
#ifndef QN_COST_BRANCHES_H
#define QN_COST_BRANCHES_H

#include "cost/places/places.h"
#include "cost/store.h"
#include "text/error.h"

/* Whole, or not there. */
enum qn_text_status qn_cost_write_branches(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err);

#endif
