/*
 * One annotated source of the classic style.
 *
 * In:  the name of a file, the ledger's counts of its lines, the source on disk
 * Out: its section of the report
 */
#ifndef QN_OUT_CLASSIC_FILE_H
#define QN_OUT_CLASSIC_FILE_H

#include "out/classic/classic.h"
#include "text/source.h"

/* The state of one section; used for all sections in turn. */
struct qn_out_classic_file {
    struct qn_out_classic *c;
    const char *name;
    int by_user;
    struct qn_text_source source;
    int64_t line_number;   /* of the line read last */
    int is_newer;          /* than the profile */
    struct qn_prof_log_lines lines;
    int *widths;
    int64_t *counts, *line0, *annotated; /* rows: of the current line; of line 0; the sum of all annotated lines */
    int has_line0;
    uint32_t line;
    int pending; /* the current line's counts have not been written */
    const char *text; /* the source line */
};

/* 1 annotated, 0 opened but without counts, -1 not opened or failed (then c->err says so). */
int qn_out_classic_put_file(struct qn_out_classic_file *f);

#endif
