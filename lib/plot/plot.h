/* lib/plot/plot.h - makes pictures of results: the data, a gnuplot script that reads it, and the image.
 *
 *   { kind "size", input "policies.csv", output "curve.svg" }  ->  curve.csv, curve.gp, curve.svg
 *
 *   size ways line curve budget   out of a sweep (exp/rows.h)      lines, a panel for each program
 *   threec                        out of a sweep, or a profile     stacked
 *   cpi                           out of a profile                 stacked
 *   data                          out of a profile                 stacked
 *   top, calls, compare           out of one profile, or two       bars
 *   roofline                      out of profiles, and a machine   a line and points
 *   time                          out of a file of intervals       lines, a panel for each event
 *   flame                         out of a profile                 a flame graph; one file, without gnuplot
 *   invariance                    out of PROFILE.findings.csv      lines
 *   heat                          out of PROFILE.sets.csv          boxes
 *   mrc, sets                     out of PROFILE.mattson.csv, PROFILE.sets.csv
 *
 * Invariants: the three files are made in a folder of their own beside the output and renamed when they are complete,
 * so none is ever half there; bad input gives one message and no file.  The same input gives the same data and script.
 */
#ifndef QN_PLOT_PLOT_H
#define QN_PLOT_PLOT_H

#include <stdbool.h>
#include <sys/types.h>

#include "text/csv.h"
#include "text/error.h"
#include "text/subst.h"

#define QN_PLOT_INPUTS_MAX 8
#define QN_PLOT_WHERE_MAX 16
#define QN_PLOT_REMARK_MAX 512

struct qn_plot_profile; /* centres.h */
struct qn_text_table;

/* Pictures of one folder whose data and scripts are there, for one gnuplot to draw: starting it takes most of the time. */
#define QN_PLOT_BATCH_MAX 32
struct qn_plot_batch {
    const char *folder;
    char *stems[QN_PLOT_BATCH_MAX], *titles[QN_PLOT_BATCH_MAX]; /* "functions" of functions.gp and functions.svg */
    int count;
    pid_t child;  /* gnuplot, from start to end */
    bool missing; /* at the end: there is no gnuplot */
};

/* What a machine does at most. */
struct qn_plot_peak {
    const char *machine;        /* its title */
    double instructions, bytes; /* millions a second: of a core; from and to memory */
    double clock;               /* MHz */
};

struct qn_plot_request {
    const char *kind;                          /* one of qn_plot_kinds */
    const char *inputs[QN_PLOT_INPUTS_MAX];
    int input_count;
    const struct qn_plot_profile *profile;     /* inputs[0], if it was read before and is the only profile; NULL: it will be read */
    const char *output;                        /* NAME.svg, NAME.png or NAME.pdf */
    /* The rest may be NULL, which means the default of the kind. */
    const char *level;                         /* I1, D1 or LL; of budget BC or BI */
    const char *x, *y;                         /* columns; of time, y may be several: "D1m%,LLmr%" */
    const char *panel, *curve;                 /* a column each, of curve several; "": none */
    const char *log;                           /* axes with a logarithmic scale: "", "x", "y", "xy" */
    const char *event, *by;                    /* of top and compare: "D1mr+D1mw"; "function" or "line" */
    const char *title;
    const char *where[QN_PLOT_WHERE_MAX];      /* "COLUMN=VALUE": rows that count */
    int where_count;
    const struct qn_text_subst *mod_file, *mod_fn; /* of profiles: change names of files, of functions */
    int width, height;                         /* pixels; 0: as usual */
    const char *font;                          /* "NAME,POINTS" */
    int font_points;
    int most;                                  /* bars; 0: as usual */
    const struct qn_plot_peak *peak;           /* of roofline */
    struct qn_plot_batch *batch;               /* not NULL: the image, an SVG in its folder, is drawn later */
    struct qn_text_table *data;                 /* not NULL, and empty: gets what the picture shows */
    bool data_only;                            /* writes only the data, whatever `output` is called; not for flame */
};

struct qn_plot_kind {
    const char *name, *input, *shows; /* for the help text */
    int least, most;                  /* inputs */
    const char *takes;                /* options that are not for all kinds, separated by blanks */
};

extern const struct qn_plot_kind qn_plot_kinds[];
extern const int qn_plot_kind_count;
/* NULL: no such kind. */
const struct qn_plot_kind *qn_plot_find_kind(const char *name);

/* Whether the name ends in .svg, .png or .pdf with something before it. */
bool qn_plot_knows_format(const char *output);

/* Writes the three files.  On success, `remark` is empty or tells the user about something (there is no gnuplot, rows were
 * left out). */
enum qn_text_status qn_plot_draw(const struct qn_plot_request *q, char remark[QN_PLOT_REMARK_MAX],
                                 struct qn_text_error *err);

/* Draws all images of the batch; if gnuplot fails, there is none.  Draw each picture by itself then, which also tells why it fails.  The end
 * waits for gnuplot, and frees the batch. */
void qn_plot_start_batch(struct qn_plot_batch *batch);
void qn_plot_end_batch(struct qn_plot_batch *batch);

/* ---- finds the knees of a curve of misses by size, which are the sizes of working sets ----
 *
 *   size,miss_percent  64,90  128,85  256,40  512,39      ->  256: the curve falls by 45 of 51 there, and hardly after it
 *
 * A knee is a size at which the curve has lost at least a tenth of its whole height since half that size, while the next step
 * down, to twice the size, is less than half as high.
 */

#define QN_PLOT_KNEES_MAX 16

/* Column 0 has the sizes, ascending, column 1 the misses.  Fills knees[], the smallest first; returns how many. */
int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX]);

#endif
