/*
 * The state of the classic report, which its sections share.
 *
 * In:  a ledger of one profile and a request
 * Out: sections on a sink, in the order of qn_out_classic
 *
 * Invariants: QN_PROF_NONE in counts means "no count was given" and prints as a dot; the summary row
 * has none.
 */
#ifndef QN_OUT_CLASSIC_H
#define QN_OUT_CLASSIC_H

#include "out/columns.h"
#include "out/report.h"
#include "prof/table/ledger.h"

struct qn_out_classic {
    struct qn_out_sink *sink;
    const struct qn_out_request *request;
    struct qn_prof_ledger ledger;
    struct qn_out_columns columns; /* shown: events only */
    struct qn_out_limit {
        double percent;
        char *text; /* the user's own text */
    } *limits;      /* one per sort event */
    int64_t *total; /* the summary */
    int events;
    const char **sources; /* named on the command line: sorted, each once */
    int source_count;
    const char *input;           /* the profile's path */
    struct qn_text_names chosen; /* files of functions above the threshold */
    struct qn_text_error *err;
};

/* Widths by event; they begin as the lengths of the names. */
void qn_out_classic_begin_widths(const struct qn_out_classic *c, int *widths);
void qn_out_classic_measure(const struct qn_out_classic *c, int *widths, const int64_t *counts);

/* Each column with a blank after it; no newline. */
void qn_out_classic_put_events(const struct qn_out_classic *c, const int *widths);
void qn_out_classic_put_counts(const struct qn_out_classic *c, const int *widths,
                               const int64_t *counts);
void qn_out_classic_put_frame(struct qn_out_sink *s);

/* Reads --sort=A:X,B:Y into c->columns.sort and c->limits, and --show. */
enum qn_text_status qn_out_classic_choose(struct qn_out_classic *c);

/* The table of functions; fills c->chosen. */
void qn_out_classic_functions(struct qn_out_classic *c);

/* The annotated sources, the list of those not found, the events annotated. */
void qn_out_classic_sources(struct qn_out_classic *c);

#endif
