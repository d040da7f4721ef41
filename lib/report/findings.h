/* lib/report/findings.h - findings: what to look at first, with the figures that prove it.
 *
 *   mm.c:10 (jki): 262,144 D1 misses
 *   98.9% of all 265,082; 50.0% of the 524,288 references here; ... 97% of them are conflict misses ...
 *   -> Conflict misses: ... fall into the same sets, as addresses a power of two apart do. Pad rows ...
 *
 * This is the only place that ranks: `quern report` and `quern page` write what it returns.  A finding is made only if its events have at least
 * QN_REPORT_COST_LEAST of the estimated cost (facts.h) and one place has a large part of them, or if they are spread and cost more.  Its advice is
 * a sentence of sentences.h, chosen by the numbers that are beside it there.
 */
#ifndef QN_REPORT_FINDINGS_H
#define QN_REPORT_FINDINGS_H

#include "report/facts.h"

#define QN_REPORT_FINDINGS_MAX 12
#define QN_REPORT_COST_LEAST 0.02 /* of the run, for a finding */

struct qn_report_finding {
    const char *what, *proof, *advice; /* plain text */
    const char *brief;                 /* of a place: "16.9 M D1 misses (86%): capacity, on b" */
    const char *object;                /* of a place: the name of the object on which it misses most, or NULL */
    int line;                          /* a centre of facts->lines whose source is shown, -1: none */
    bool whole;                        /* about the whole run: it comes last, because it adds no cost to the others */
    double cost;                       /* share of the estimated cost */
    double avoidable;                  /* of it, what another order of the program could save: first uses count a quarter */
    double place;                      /* that of all findings about this line: LL misses and D1 misses of one line have one cause */
};

/* Fills findings[], first those about places, the place where most can be saved first, then those about the whole run; returns how many.  The
 * profile has the event Ir. */
int qn_report_find(struct qn_report_facts *f, struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX]);

/* Finds the knees of the curve of a fully associative cache if there is one, else of the D1s by size, into f->knees.  The findings name
 * them. */
void qn_report_find_knees(struct qn_report_facts *f);

/* How more is found out: a sentence each, NULL at the end. */
#define QN_REPORT_HINTS_MAX 3
void qn_report_hint(struct qn_report_facts *f, const char *hints[QN_REPORT_HINTS_MAX]);

/* sharing.c: a line of memory that threads write to and share falsely; false: there is none.  And what would end the false sharing in which the
 * source line loses most, or, without one, all that use this line of memory; words for any, where that is not known. */
bool qn_report_examine_sharing(struct qn_report_facts *f, struct qn_report_finding *finding);
const char *qn_report_advise_pad(struct qn_report_facts *f, const struct qn_plot_centre *line, const char *address);

#endif
