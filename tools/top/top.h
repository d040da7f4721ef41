/* tools/top/top.h - the views of `quern top`: what they show, without a terminal.
 *
 *   facts of a profile  ->  functions, lines, the source of a file, what is known of a line: rows of text, each with its heat
 *
 * The rows are those of report, page and annotate: functions and lines from lib/report/facts.h, the costliest first, and the findings about them.
 */
#ifndef QN_TOP_H
#define QN_TOP_H

#include "out/report.h"
#include "report/findings.h"

enum top_kind { TOP_FUNCTIONS, TOP_LINES, TOP_SOURCE, TOP_DETAILS, TOP_HELP };

struct top_row {
    const char *text;  /* as it is shown */
    double share;      /* of the estimated cycles: heat */
    int centre;        /* of the facts' functions or lines; -1: none */
};

struct top_view {
    enum top_kind kind;
    const char *title, *heading;
    bool is_path;         /* the title, of which the end matters */
    struct top_row *rows;
    int count, at, first; /* the row that is chosen, the first one that is shown */
    const char *file;     /* of a source */
    int centre;           /* of details: whose they are */
    bool of_function;
};

struct top {
    struct qn_report_facts facts;
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    int finding_count;
    const struct qn_out_request *request; /* where sources are */
    const char *path;
    int sort;             /* the column by which lists are sorted */
    int width;            /* characters in a line */
    bool shown[1 + QN_REPORT_COLUMNS]; /* columns that fit beside a name */
};

#define TOP_COLUMNS (1 + QN_REPORT_COLUMNS) /* of functions and lines: estimated cycles, then those of the report */

/* Fill a view, whose rows are to be freed. */
void top_list(struct top *t, struct top_view *v, enum top_kind kind);
void top_source(struct top *t, struct top_view *v, const char *file, uint32_t line);
/* Of a line of the facts, or of a function if `of_function`. */
void top_details(struct top *t, struct top_view *v, int centre, bool of_function);
void top_help(struct top_view *v);

/* The next row behind the chosen one whose text has `text`, in any case of letters, round the end; -1: none. */
int top_find(const struct top_view *v, const char *text);
/* The next row with more cost than any other that is not hotter than the chosen one, in a source; -1: none. */
int top_next_hottest(const struct top_view *v);

#endif
