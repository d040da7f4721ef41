/*
 * The state of the modern report, which its sections share.
 *
 * In:  a ledger and a request
 * Out: sections on a sink, in the order of qn_out_modern
 *
 * Invariants: counts in the ledger are plain numbers here (QN_PROF_NONE has become 0); `annotated`
 * names files in ascending order.
 */
#ifndef QN_OUT_MODERN_H
#define QN_OUT_MODERN_H

#include "out/columns.h"
#include "out/findings.h"
#include "out/report.h"
#include "out/table.h"
#include "prof/table/ledger.h"

/* The places of counts in the last section, "Annotation summary", in its order. */
enum qn_out_fate {
    QN_OUT_LINES_KNOWN,
    QN_OUT_LINES_UNKNOWN,
    QN_OUT_NOT_IDENTICAL,
    QN_OUT_UNREADABLE,
    QN_OUT_BELOW_THRESHOLD,
    QN_OUT_FILES_UNKNOWN,
    QN_OUT_FATES
};

struct qn_out_modern {
    struct qn_out_sink *sink;
    const struct qn_out_request *request;
    struct qn_prof_ledger ledger;
    struct qn_out_columns columns;
    struct qn_out_findings findings; /* --values */
    const int64_t *total;
    int events, heat;
    uint32_t *annotated; /* file ids with a function above the threshold */
    size_t annotated_count;
    int64_t *fates; /* QN_OUT_FATES rows */
    bool missing; /* of the terminal's style: a file without a source was the last */
    struct qn_text_error *err;
};

/* A frame of dashes around a title. */
void qn_out_put_title(struct qn_out_sink *s, const char *title, const char *name);

/* Of a path without room before `behind` characters more, the end. */
void qn_out_put_path(struct qn_out_sink *s, const char *name, size_t behind);

/* The first two sections: what is shown, with columns `c`; `sort` in place of the names of their sort order, or NULL. */
void qn_out_put_head(struct qn_out_modern *m, const struct qn_out_columns *c, const char *sort);

/* A table with the report's columns. */
void qn_out_modern_table(struct qn_out_modern *m, struct qn_out_table *t, int cumulative);

/* The sections "File:function summary" and "Function:file summary"; fills m->annotated. */
enum qn_text_status qn_out_modern_functions(struct qn_out_modern *m);

/* One section per annotated file; fills m->fates. */
enum qn_text_status qn_out_modern_sources(struct qn_out_modern *m);

/* The `most` rows with most by file, function, line or object: in place of all other sections with --by. */
enum qn_text_status qn_out_modern_by(struct qn_out_modern *m, int by, size_t most);

/* In place of all sections: misses by object in memory, or by type (--by=data, --by=type). */
enum qn_text_status qn_out_modern_data(struct qn_out_modern *m);

/* In place of all but the first two: inclusive costs of functions, callers and callees (--by=calls). */
enum qn_text_status qn_out_modern_calls(struct qn_out_modern *m);

#endif
