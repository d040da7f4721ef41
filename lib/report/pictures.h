/* lib/report/pictures.h - the pictures of the page: <figure> with the image, and links to its data and script. */
#ifndef QN_REPORT_PICTURES_H
#define QN_REPORT_PICTURES_H

#include <stdio.h>

#include "report/facts.h"

enum qn_report_picture {
    QN_REPORT_CPI, QN_REPORT_FUNCTIONS, QN_REPORT_LINES, QN_REPORT_CURVE, QN_REPORT_SIZES, QN_REPORT_CLASSES_BY_FUNCTION, QN_REPORT_CLASSES,
    QN_REPORT_SETS, QN_REPORT_SETS_IN_TIME, QN_REPORT_PHASES, QN_REPORT_BRANCHES, QN_REPORT_DATA, QN_REPORT_CALLS
};

/* Draws a picture; if that fails, writes the reason instead.  With a batch in the facts, nothing is written to `out`. */
void qn_report_draw(struct qn_report_facts *f, FILE *out, enum qn_report_picture which);

/* <a> to a file beside the page. */
void qn_report_link(FILE *out, const char *name, const char *end);

#endif
