/*
 * One or more profiles in memory, as a report needs them: totals per function, lines per file.
 *
 * In:  a.out (added), b.out (added, or its counts negated), names changed by s/old/new/
 * Out: fns + fn_totals: one row per (file, function); lines of files, or of functions; total: the summary
 *
 * Invariants: all inputs have the same events; total is the sum of fn_totals; in a ledger that keeps
 * lines, also of all lines. A failure leaves the ledger usable only for freeing.
 */
#ifndef QN_PROF_LEDGER_H
#define QN_PROF_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "prof/read.h"
#include "prof/table/table.h"
#include "text/subst.h"

/* What the header of one input said. */
struct qn_prof_source {
    char *path;
    char *cmd;
    char *desc; /* all descriptions, each followed by a newline, control bytes escaped */
};

enum qn_prof_lines_of {
    QN_PROF_NO_LINES,
    QN_PROF_LINES_OF_FILES,
    QN_PROF_LINES_OF_FNS,
};

struct qn_prof_ledger_options {
    enum qn_prof_lines_of keep_lines; /* of each file, or of each function */
    int keep_insns;              /* fill insns; a profile without instructions is an error */
    int always_unspecified;      /* make the function <unspecified> for every fl= line */
    int shorten_inlined;         /* names of inlined functions without the calls between (functions.h) */
    const struct qn_text_subst *mod_file, *mod_fn; /* NULL: names as they are */
};

struct qn_prof_ledger {
    struct qn_prof_ledger_options options;
    struct qn_prof_header header; /* of the first input; its descs and cmd are not used */
    struct qn_prof_source *sources;
    int source_count;
    struct qn_prof_table *lines;   /* without objects; empty if no lines are kept */
    struct qn_prof_fns *fns;       /* its functions */
    struct qn_prof_rows fn_totals; /* by function */
    struct qn_prof_rows total;     /* one row */
    struct qn_text_names objects;       /* files of code: "???" and what ob= lines name */
    struct qn_prof_rows object_totals;  /* by object */
    struct qn_prof_table *insns;        /* rows of instructions only; NULL: not kept */
    struct qn_text_names originals; /* file names before mod_file; used only with mod_file */
    uint32_t *original_of;          /* by original: the file id it became */
    uint32_t original_room;
};

void qn_prof_init_ledger(struct qn_prof_ledger *g, const struct qn_prof_ledger_options *options);

/* Reads one profile into the ledger; `negate` subtracts it. */
enum qn_text_status qn_prof_read_ledger(struct qn_prof_ledger *g, const char *path, int negate,
                                        struct qn_text_error *err);

/* The lines of a file (by its number in fns->files), or of a function, as keep_lines has it. */
struct qn_prof_lines qn_prof_ledger_lines(const struct qn_prof_ledger *g, uint32_t owner);

void qn_prof_free_ledger(struct qn_prof_ledger *g);

#endif
