/* lib/report/whole.h - findings about the whole run instead of a line.
 *
 *   sets     a tenth of the sets has half of the D1 misses
 *   size     a D1 a few times as large would miss half as often
 *   phases   a tenth of the time has four tenths of the D1 misses
 */
#ifndef QN_REPORT_WHOLE_H
#define QN_REPORT_WHOLE_H

#include "report/findings.h"

/* *finding: line -1 and whole are set.  false: there is nothing to say. */
bool qn_report_examine_sets(struct qn_report_facts *f, struct qn_report_finding *finding);
bool qn_report_examine_size(struct qn_report_facts *f, struct qn_report_finding *finding);
bool qn_report_examine_phases(struct qn_report_facts *f, struct qn_report_finding *finding);

/* Finds the knees of the curve of a fully associative cache if there is one, else of the D1s by size. */
void qn_report_find_knees(struct qn_report_facts *f);

#endif
