/* lib/report/objects.h - findings about objects in memory and lines that threads share.
 *
 *   data of a profile  ->  " 95% of them are on particles (global, nbody.c:9, struct particle)."
 *                          struct particle: 128 bytes, 95.6% of the D1 misses; 8.0 of the 64 bytes of a line are used before it leaves, ...
 */
#ifndef QN_REPORT_OBJECTS_H
#define QN_REPORT_OBJECTS_H

#include "report/findings.h"

/* The object that a line misses on most, and who evicts what it misses, where that is known; else "". */
const char *qn_report_name_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool of_LL);
/* The advice about that object and its type; marks what it says in advised[]. */
const char *qn_report_advise_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool *advised);
/* An item of f->advice as a finding of its own.  false: it costs too little. */
bool qn_report_examine_object(struct qn_report_facts *f, size_t item, struct qn_report_finding *finding);
/* The line of memory that threads share falsely and write to most. */
bool qn_report_examine_sharing(struct qn_report_facts *f, struct qn_report_finding *finding);

#endif
