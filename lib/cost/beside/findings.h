/* lib/cost/beside/findings.h - writes the findings of analysis modules about instructions as CSV.
 *
 *   object,address,file,function,line,what,rank,value,other,count,of,share,of_rows
 *   /bin/prog,0x401136,/src/a.c,main,12,rax,1,0x7,,950,1000,95.00,1
 *
 * There is a row for each finding (sim_find in sim/module.h), sorted by object and address; those of an instruction are in the order of the
 * module's calls.  address, other: addresses of the object's symbol table; other is empty if there is none, and may belong to another
 * object.  rank: from 1 for each `what` of an instruction.  share: count / of in percent, with two decimals.  of_rows: the number of rows of the file.
 */
#ifndef QN_COST_FINDINGS_H
#define QN_COST_FINDINGS_H

#include "cost/places/modules.h"
#include "cost/store.h"
#include "text/error.h"

enum qn_text_status qn_cost_write_findings(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err);

/* There is anything to write. */
bool qn_cost_has_findings(const struct qn_cost_store *store);

/* Writes a cell: "???" for NULL, in quotes only if it contains a comma, a quote or a newline. */
struct qn_prof_writer;
void qn_cost_put_csv_name(struct qn_prof_writer *w, const char *name);

/* There was no more room for findings. */
bool qn_cost_findings_full(const struct qn_cost_store *store);

#endif
