/* lib/cost/findings.h - what an analysis module found out about instructions, as CSV.
 *
 *   object,address,file,function,line,what,rank,value,other,count,of,share
 *   /bin/prog,0x401136,/src/a.c,main,12,rax,1,0x7,,950,1000,95.00
 *
 * A row for each finding (sim_find in sim/module.h), by object and address, those of an instruction in the order in which the
 * module told them.  address, other: as the object's symbol table has them; other is empty if there is none, and may lie in
 * another object.  rank: from 1 for each `what` of an instruction.  share: count of `of`, in percent, two decimals.
 */
#ifndef QN_COST_FINDINGS_H
#define QN_COST_FINDINGS_H

#include "cost/modules.h"
#include "cost/store.h"
#include "text/error.h"

enum qn_text_status qn_cost_write_findings(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err);

/* There is anything to write. */
bool qn_cost_has_findings(const struct qn_cost_store *store);

/* A cell: "???" for NULL, quoted where it must be.  false: no memory, and nothing is written. */
struct qn_prof_writer;
bool qn_cost_put_csv_name(struct qn_prof_writer *w, const char *name);

/* There was no more room for findings. */
bool qn_cost_findings_full(const struct qn_cost_store *store);

#endif
