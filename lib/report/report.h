/* lib/report/report.h - writes a page about one program from the files that its runs have left in a folder.
 *
 *   folder: profile (of a run with the module 3c), intervals.csv, runs.csv (a sweep of D1 sizes), profile.sets.csv, profile.mattson.csv
 *   ->      index.html and its pictures: functions.svg, lines.svg, curve.svg, size.svg, classes.svg, phases.svg, ...
 *
 * The page is plain HTML with its style in it: no script, nothing from a network.  Invariants: it depends on the files
 * only, so the same runs give the same page; every name from the program is escaped; a part that cannot be made is
 * replaced by a sentence that says why.
 */
#ifndef QN_REPORT_REPORT_H
#define QN_REPORT_REPORT_H

#include "text/error.h"

#define QN_REPORT_PROFILE "profile"
#define QN_REPORT_INTERVALS "intervals.csv"
#define QN_REPORT_RUNS "runs.csv"
#define QN_REPORT_SETS_BY_TIME QN_REPORT_PROFILE ".sets.csv" /* as the run itself calls it */
#define QN_REPORT_CURVE_BY_SIZE QN_REPORT_PROFILE ".mattson.csv"
#define QN_REPORT_SIZES_OF_RUN QN_REPORT_PROFILE ".sizes.csv"
#define QN_REPORT_SHARING QN_REPORT_PROFILE ".sharing.csv"
#define QN_REPORT_CULPRITS QN_REPORT_PROFILE ".culprits.csv"
#define QN_REPORT_BEFORE "before" /* of a comparison: the profile that QN_REPORT_PROFILE is compared with */
#define QN_REPORT_PAGE "index.html"
#define QN_REPORT_EXPLORE "explore.html" /* the interactive page (lib/page), to which the page has a link */
/* At the top of the page; by it quern recognises a folder with a report. */
#define QN_REPORT_MARK "<!-- made by quern report -->"
/* In the folder: the names of all files that quern report made there, a line each.  A new report replaces a folder that has these only. */
#define QN_REPORT_LIST ".quern-report"

struct qn_report_facts;

struct qn_report {
    const char *folder;
    const char *ended;       /* how the program ended; NULL: with status 0 */
    /* Called while gnuplot draws, with what is known of the profile; NULL: nothing is. */
    enum qn_text_status (*meanwhile)(void *data, struct qn_report_facts *facts, struct qn_text_error *err);
    void *data;
};

enum qn_text_status qn_report_write(const struct qn_report *r, struct qn_text_error *err);
/* A page about two profiles of a folder, QN_REPORT_BEFORE and QN_REPORT_PROFILE: what has changed. */
enum qn_text_status qn_report_compare(const char *folder, struct qn_text_error *err);

#endif
