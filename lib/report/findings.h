/* lib/report/findings.h - findings: what to look at first, with the figures that prove it.
 *
 *   mm.c:10 (jki): 262,144 D1 misses, 98.9% of all 265,082; it misses in 50.0% of its 524,288 references.
 *   97% of them are conflict misses ...
 *   -> rows that are a power of two apart fall into the same sets: pad them ...
 *
 * A finding is made only if its events have at least QN_REPORT_COST_LEAST of the estimated cost (facts.h) and one place
 * has a large part of them.  The suggestion follows from the class of most of the misses and from rates, as textbooks
 * recommend it.
 */
#ifndef QN_REPORT_FINDINGS_H
#define QN_REPORT_FINDINGS_H

#include "report/facts.h"

#define QN_REPORT_FINDINGS_MAX 12
#define QN_REPORT_COST_LEAST 0.02 /* of the run, for a finding */

struct qn_report_finding {
    const char *what, *proof, *advice; /* plain text */
    int line;                          /* a centre of facts->lines whose source is shown, -1: none */
    double cost;                       /* share of the estimated cost */
};

/* Fills findings[], first those about places, the most costly first, then those about the whole run; returns how many. */
int qn_report_find(struct qn_report_facts *f, struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX]);

#endif
