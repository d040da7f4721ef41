/* lib/cost/branches.h - where each branch that a run has translated lies, as CSV: `run --branches-file`.
 *
 *   pc,file,source_line,function
 *   0x401146,"/src/a.c",14,"main"
 *
 * Conditional and indirect branches, and returns where something predicts them.  The address is that of the run, as in a trace of it.  An
 * instruction of several blocks, or one that was translated twice, has several rows.  source_line 0: not known.
 */
#ifndef QN_COST_BRANCHES_H
#define QN_COST_BRANCHES_H

#include "cost/modules.h"
#include "cost/store.h"
#include "text/error.h"

/* Whole, or not there. */
enum qn_text_status qn_cost_write_branches(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err);

#endif
