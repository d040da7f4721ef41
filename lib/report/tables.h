/* lib/report/tables.h - sections of the page that are tables: functions, lines with their source, branches. */
#ifndef QN_REPORT_TABLES_H
#define QN_REPORT_TABLES_H

#include <stdio.h>

#include "report/facts.h"

void qn_report_write_functions(struct qn_report_facts *f, FILE *out);
void qn_report_write_lines(struct qn_report_facts *f, FILE *out);
void qn_report_write_branches(struct qn_report_facts *f, FILE *out);

#endif
