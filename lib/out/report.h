/*
 * What a user asked `annotate` for, and the two styles that answer.
 *
 * In:  struct qn_out_request, profiles on disk, sources on disk
 * Out: a report on a sink
 *
 * Invariants: nothing is printed before all profiles have been read without an error.
 */
#ifndef QN_OUT_REPORT_H
#define QN_OUT_REPORT_H

#include <stdbool.h>

#include "out/table.h"
#include "out/sink.h"
#include "text/error.h"
#include "text/subst.h"

/* QN_OUT_TERMINAL: the modern style in the width of a terminal, with short numbers, columns and lines that cost most. */
enum qn_out_style { QN_OUT_MODERN, QN_OUT_CLASSIC, QN_OUT_TERMINAL, QN_OUT_STYLE_AUTO };
enum qn_out_by { QN_OUT_BY_FILE, QN_OUT_BY_FUNCTION, QN_OUT_BY_LINE, QN_OUT_BY_OBJECT, QN_OUT_BY_INLINE,
                 QN_OUT_BY_DATA, QN_OUT_BY_TYPE, QN_OUT_BY_CALLS, QN_OUT_BY_THREAD, QN_OUT_BY_NONE };

struct qn_out_request {
    int style;                 /* enum qn_out_style */
    const char *const *inputs; /* modern: profiles; classic: one profile, then sources */
    int input_count;
    bool diff;
    struct qn_text_subst *mod_file, *mod_fn;
    const char *show, *sort; /* NULL: all */
    double threshold;        /* per cent, 0 to 20 */
    const char *threshold_text; /* as given, for the classic style; NULL: the default */
    bool show_percs, annotate;
    bool disassemble;        /* --asm: instructions below their source lines */
    bool values;             /* --values: after each instruction what an analysis has found */
    int context;
    const char **includes; /* directories */
    int include_count;
    int by;           /* enum qn_out_by */
    int by_cost;      /* 1: the costliest annotated file first, and those of the system last; 0: by name; -1: by the style */
    int width;        /* of the terminal; 0: not in that style */
    int color;        /* enum qn_out_color */
    int errors;       /* --format=errors */
    bool pager;
    char *invocation; /* the command line */
    char *warning;    /* room of QN_TEXT_MAX: how the inputs' provenance differs, or empty */
};

/* Per cent of the primary sort event below which a function is left out. */
#define QN_OUT_THRESHOLD 0.1
#define QN_OUT_THRESHOLD_MAX 20.0
/* Source lines shown around each annotated one. */
#define QN_OUT_CONTEXT 8
/* Lines in the table of the hottest, in the terminal's style. */
#define QN_OUT_HOTTEST 20

enum qn_text_status qn_out_modern(struct qn_out_sink *s, const struct qn_out_request *q,
                                  struct qn_text_error *err);
enum qn_text_status qn_out_classic(struct qn_out_sink *s, const struct qn_out_request *q,
                                   struct qn_text_error *err);

#endif
