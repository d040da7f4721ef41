/* lib/plot/centres.h - the functions or lines of a profile, those with most of an event first.
 *
 *   profile, "D1mr+D1mw", by function  ->  { "jki", 262145 }, { "ijk", 513 }, ...; total 265082
 *
 * An event is one of the profile, a known ratio (out/columns.h) or an expression.  Invariants: counts of one function in
 * several objects are added, except of code without a name, which is "OBJECT (no symbols)"; equal values are sorted by file and
 * function; functions of the same name in several files are shown as "name (file)".
 */
#ifndef QN_PLOT_CENTRES_H
#define QN_PLOT_CENTRES_H

#include "text/memory.h"
#include "plot/plot.h"
#include "prof/table/ledger.h"

/* A profile that several pictures share, so that it is read once. */
struct qn_plot_profile {
    struct qn_prof_reader *reader; /* open, its header read */
    struct qn_prof_merge *merge;   /* with the rows, in their order */
    struct qn_prof_table *functions; /* their sums; NULL: a picture that needs them makes them */
};

struct qn_plot_centre {
    const char *name, *file, *function, *object; /* object: of nameless code, else "" */
    const char *others; /* behind the function of a line: " and others", if they have it, too; else "" */
    uint32_t line;  /* 0: by function, or not known */
    double value;   /* of the event */
    int64_t *counts;
};

struct qn_plot_centres {
    const char *by, *event;
    struct qn_plot_centre *at;
    int count;
    double total;
    const struct qn_prof_header *header;
    struct qn_plot_profile own;  /* owns the header, if q->profile was NULL */
    int64_t *totals;
};

/* Opens the file; reads its rows, with names as `q` changes them.  Free it in any case. */
enum qn_text_status qn_plot_open_rows(struct qn_plot_profile *p, const char *path, struct qn_text_error *err);
enum qn_text_status qn_plot_read_rows(struct qn_plot_profile *p, const struct qn_plot_request *q, const char *path, struct qn_text_error *err);
enum qn_text_status qn_plot_sum_functions(struct qn_plot_profile *p, struct qn_text_error *err);
void qn_plot_free_rows(struct qn_plot_profile *p);

/* event: NULL means D1mr+D1mw if caches were simulated, else Ir.  On failure nothing is left to free. */
enum qn_text_status qn_plot_read_centres(struct qn_plot_centres *c, struct qn_text_memory *m,
                                         const struct qn_plot_request *q, const char *path, const char *event,
                                         struct qn_text_error *err);
void qn_plot_free_centres(struct qn_plot_centres *c);

/* The name in less room: "basic_str...swap() (no line)". */
const char *qn_plot_shorten_centre(struct qn_text_memory *m, const struct qn_plot_centre *c, size_t room);

/* The count of an event of the profile in centre `i`, i < 0: in the whole profile; 0: no such event. */
int64_t qn_plot_count_of(const struct qn_plot_centres *c, int i, const char *event);

#endif
