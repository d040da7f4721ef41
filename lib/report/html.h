/* lib/report/html.h - writing HTML, of which everything that comes from elsewhere is escaped.
 *
 *   qn_report_put(out, "<h1>%s</h1>", "a<b & \x1b")          ->  <h1>a&lt;b &amp; \x1b</h1>
 *   qn_report_begin_table(out, "", "function|cycles")       ->  <div class="wide"><table> and a row of two headings
 */
#ifndef QN_REPORT_HTML_H
#define QN_REPORT_HTML_H

#include <stdarg.h>
#include <stdio.h>

struct qn_prof_header;

/* Text of an element or of an attribute in double quotes.  Control bytes are made visible; bytes that are not UTF-8 become
 * U+FFFD. */
void qn_report_text(FILE *out, const char *text);

/* As printf, but text of %s is escaped as above, or as put_text does; besides %s there are %c, %d, %u, %f and %g, with what may stand between %
 * and these (of sizes l and z), and %%. */
void qn_report_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void qn_report_put_by(FILE *out, void (*put_text)(FILE *out, const char *text), const char *format, va_list args);

/* The document up to its body, and its end. */
void qn_report_begin(FILE *out, const char *mark, const char *title);
void qn_report_end(FILE *out);

/* A table in an element that scrolls sideways; `name`: its class, or ""; headings with | between them, "": no row of these. */
void qn_report_begin_table(FILE *out, const char *name, const char *headings);
void qn_report_end_table(FILE *out);

void qn_report_heading(FILE *out, const char *id, const char *title);
/* <td> with commas between thousands; with a share of `whole` in per cent behind it, where that is not 0. */
void qn_report_count_cell(FILE *out, double count, double whole);
/* "WHAT; COMMAND does it", in place of a part that is missing. */
void qn_report_missing(FILE *out, const char *what, const char *command);
/* A line with a link to the interactive page. */
void qn_report_explore_link(FILE *out);
void qn_report_text_cell(FILE *out, const char *text);
/* A table: the command of a profile, and what describes its run. */
void qn_report_put_descriptions(FILE *out, const struct qn_prof_header *h);

#endif
