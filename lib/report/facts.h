/* lib/report/facts.h - the numbers for the page.
 *
 *   a run costs about  Ir + 10 L1 misses + 100 LL misses + 10 mispredicts  cycles, or as --timing says
 *
 * Those are the estimated cycles of out/columns.h, a rule of thumb.  They order functions, lines and findings.
 */
#ifndef QN_REPORT_FACTS_H
#define QN_REPORT_FACTS_H

#include <stddef.h>

#include "text/csv.h"
#include "out/advice.h"
#include "out/columns.h"
#include "plot/centres.h"
#include "plot/plot.h"
#include "report/report.h"

#define QN_REPORT_NAME_ROOM 70 /* characters of a function beside its line */

/* The cost of an event in cycles is a member of the timing in force; these are the members' offsets. */
#define QN_REPORT_COST_L1 offsetof(struct qn_out_timing, L1)
#define QN_REPORT_COST_LL offsetof(struct qn_out_timing, LL)
#define QN_REPORT_COST_BRANCH offsetof(struct qn_out_timing, branch)
static inline double qn_report_cost(size_t of) { return *(const double *)(const void *)((const char *)qn_out_timing() + of); }

enum { QN_REPORT_I1, QN_REPORT_D1, QN_REPORT_LL, QN_REPORT_LEVELS };

enum qn_report_picture {
    QN_REPORT_CPI, QN_REPORT_FUNCTIONS, QN_REPORT_LINES, QN_REPORT_CURVE, QN_REPORT_SIZES, QN_REPORT_CLASSES_BY_FUNCTION, QN_REPORT_CLASSES,
    QN_REPORT_SETS, QN_REPORT_SETS_IN_TIME, QN_REPORT_PHASES, QN_REPORT_BRANCHES, QN_REPORT_DATA, QN_REPORT_CALLS, QN_REPORT_PICTURES
};

struct qn_report_picture_made {
    bool tried;                /* data and script are there, or err says why not */
    struct qn_text_table data;
    struct qn_text_error err;
};

struct qn_report_facts {
    const struct qn_report *report;
    struct qn_text_memory memory;
    struct qn_plot_profile profile;           /* read once for all parts of the page */
    struct qn_plot_centres functions, lines;  /* the most costly first */
    double size[QN_REPORT_LEVELS], line[QN_REPORT_LEVELS]; /* of caches, bytes; 0: not known */
    struct qn_text_table intervals, runs, sharing, culprits; /* no columns: there are none */
    struct qn_text_table sets, curve;          /* set, misses; size, miss_percent.  No rows: there are none */
    struct qn_prof_data data;                 /* objects in memory and the misses on them */
    struct qn_out_advice advice;              /* about these */
    struct qn_report_picture_made pictures[QN_REPORT_PICTURES];
    double knees[QN_PLOT_KNEES_MAX];          /* of the curve by size, or else of D1s by size; bytes */
    int knee_count;
    struct qn_plot_batch batch;               /* of these pictures */
    struct qn_report_place {
        long at;                              /* in the page's text */
        enum qn_report_picture which;
    } places[QN_REPORT_PICTURES];             /* of pictures, in the order of the page */
    int place_count;
};

/* What a report is made of, out of its folder.  Call qn_report_free_facts even if it fails. */
enum qn_text_status qn_report_read_facts(struct qn_report_facts *f, const struct qn_report *r,
                                         struct qn_text_error *err);
void qn_report_free_facts(struct qn_report_facts *f);
/* The same from one profile, without the tables of other runs. */
enum qn_text_status qn_report_read_profile(struct qn_report_facts *f, const char *path, struct qn_text_error *err);
/* The same from a profile whose rows f->profile has; all that is made of them.  The caller may fill in the tables. */
enum qn_text_status qn_report_gather_facts(struct qn_report_facts *f, const char *path, struct qn_text_error *err);

/* The text behind "desc: KEY", or NULL. */
const char *qn_report_describe(const struct qn_report_facts *f, const char *key);
/* Does the place lie in the dynamic linker?  Its share of the estimated cycles. */
bool qn_report_is_loader(const struct qn_report_facts *f, const struct qn_plot_centre *c);
double qn_report_loader_share(const struct qn_report_facts *f);
/* Has no code of the program a line? */
bool qn_report_lacks_lines(const struct qn_report_facts *f);
/* "1.25 MiB" */
const char *qn_report_say_about(struct qn_report_facts *f, double bytes);

/* The columns of tables of functions and lines. */
#define QN_REPORT_COLUMNS 5
extern const struct qn_report_column {
    const char *events, *name;
} qn_report_columns[QN_REPORT_COLUMNS];

/* The sum of events, "D1mr+D1mw", of centre `i`; of the whole if i < 0. */
double qn_report_count(const struct qn_plot_centres *c, int i, const char *events);
/* Does the line or function have a known source line? */
bool qn_report_has_line(const struct qn_plot_centre *c);
/* Does the profile have the event? */
bool qn_report_has_event(const struct qn_report_facts *f, const char *event);
/* What a picture shows; no rows: nothing was found to show, or it was not tried. */
static inline const struct qn_text_table *qn_report_shown(const struct qn_report_facts *f, enum qn_report_picture which)
{
    return &f->pictures[which].data;
}
/* The path of a file in the report's folder. */
const char *qn_report_path(struct qn_report_facts *f, const char *name);

#endif
