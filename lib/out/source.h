/*
 * Sources of annotated files, in both styles: where they are, which of their lines are shown, warnings about them.
 *
 * In:  "w.c" and -I inc; lines that have counts
 * Out: inc/w.c, open; ranges of lines around those with counts, and gaps between these
 */
#ifndef QN_OUT_SOURCE_H
#define QN_OUT_SOURCE_H

#include "out/report.h"
#include "prof/table/ledger.h"
#include "text/source.h"

#define QN_OUT_WARNING_FRAME "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
#define QN_OUT_WARNING \
    QN_OUT_WARNING_FRAME "@@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@\n" QN_OUT_WARNING_FRAME

/* Opens the file under its own name, or else below a directory of -I. *path is where it was tried last, to be freed; *include the number
 * of that directory, -1: none.  0, or an errno. */
int qn_out_open_source(const struct qn_out_request *q, struct qn_text_source *s, const char *name, char **path, int *include);
/* The option that says where such a file is: "--source-map=/home/ann=FOLDER", or "-I FOLDER"; to be freed. */
char *qn_out_source_hint(const char *name);

/* The lines of a file that have counts, in ascending order. */
struct qn_out_lines {
    struct qn_prof_lines of;
    int64_t *counts; /* of the line at hand */
    uint32_t line;
    bool pending;    /* false: there is none */
    int events;      /* of numbers: QN_PROF_NONE becomes 0; 0: it stays */
    struct qn_text_error *err;
};
void qn_out_first_line(struct qn_out_lines *l);
void qn_out_next_line(struct qn_out_lines *l);

/* The last line to show of a range that begins around the line at hand: ranges that meet are one. */
int64_t qn_out_end_of_range(const struct qn_out_lines *l, int64_t context);
void qn_out_put_gap(struct qn_out_sink *s, int64_t line);

#endif
