/* lib/report/source.h - a few lines of source with their counts, the hot one marked. */
#ifndef QN_REPORT_SOURCE_H
#define QN_REPORT_SOURCE_H

#include <stdio.h>

#include "report/facts.h"

/* Can the file of that centre be read? */
bool qn_report_has_source(const struct qn_plot_centre *c);
/* Around the line of that centre; a sentence where the file cannot be read. */
void qn_report_write_source(struct qn_report_facts *f, FILE *out, int line);

#endif
