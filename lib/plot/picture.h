/* lib/plot/picture.h - the contents of a picture: data, panels, curves, labels.
 *
 *   data     size,lru,fifo         curves  { "lru", column 1 }, { "fifo", column 2 }
 *            1024,32.2,33.2        panels  { "", "D1 misses per 100 references", curves 0 and 1 }
 *            2048,28.0,28.7
 *
 * Readers of the inputs fill it (sweep.c, centres.c, side_tables.c, tables.c); script.c makes a script of it.
 * Invariants: column 0 of the data is the x axis, or the names of the bars; every curve has a column of the data.
 */
#ifndef QN_PLOT_PICTURE_H
#define QN_PLOT_PICTURE_H

#include <stdint.h>
#include <stdio.h>

#include "plot/plot.h"
#include "prof/read.h"
#include "text/csv.h"
#include "text/memory.h"

#define QN_PLOT_WRITTEN " - written by quern plot " /* in the first line of a script, which may be written again */
#define QN_PLOT_KIB 1024 /* x_unit of sizes: the axis says KiB */

enum qn_plot_form {
    QN_PLOT_LINES,    /* curves over numbers */
    QN_PLOT_IMPULSES, /* the same as vertical bars, for whole numbers */
    QN_PLOT_STACKED,  /* vertical bars, the curves stacked */
    QN_PLOT_BARS, /* horizontal bars, one per curve side by side; columns `end` and `label`: the text at a bar's end */
    QN_PLOT_HEAT, /* boxes whose colours are the first curve: start, end, set, sets; the name of the second curve is the unit of x */
};

struct qn_plot_curve {
    const char *name;
    int column;
    int style; /* from 0: curves of one style look the same in all panels */
    bool plain; /* without points */
};

struct qn_plot_panel {
    const char *title, *y_label;
    int first, count; /* curves */
};

struct qn_plot_mark {
    double x;
    const char *label;
};

struct qn_plot_picture {
    const struct qn_plot_request *request;
    struct qn_text_memory memory;
    struct qn_text_table data;
    enum qn_plot_form form;
    const char *title, *x_label;
    double x_unit;        /* x is divided by it */
    double y_end;         /* of boxes: where the y axis ends */
    bool log_x, log_y, points;
    bool x_names;         /* x is names, in their order */
    int across;           /* panels side by side */
    struct qn_plot_curve *curves;
    struct qn_plot_panel *panels;
    struct qn_plot_mark *marks;
    const char **caption; /* its parts */
    int curve_count, panel_count, mark_count, caption_count;
    char *remark;         /* of QN_PLOT_REMARK_MAX bytes */
};

struct qn_plot_curve *qn_plot_add_curve(struct qn_plot_picture *p, const char *name, int column, int style);
/* Adds a panel; curves added from now on belong to it. */
struct qn_plot_panel *qn_plot_add_panel(struct qn_plot_picture *p, const char *title, const char *y_label);
void qn_plot_add_mark(struct qn_plot_picture *p, double x, const char *label);
void qn_plot_add_caption(struct qn_plot_picture *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends to the remark, behind "; ". */
void qn_plot_add_remark(struct qn_plot_picture *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The smallest and largest number in a column of the data; false: there is none. */
bool qn_plot_find_range(const struct qn_plot_picture *p, int column, double *least, double *most);

/* Readers of inputs, by kind. */
enum qn_text_status qn_plot_read_sweep(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_threec(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_time(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_top(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_compare(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_cpi(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_mrc(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_sets(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_heat(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_invariance(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_data(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_roofline(struct qn_plot_picture *p, struct qn_text_error *err);
enum qn_text_status qn_plot_read_calls(struct qn_plot_picture *p, struct qn_text_error *err);

/* The script that draws DATA as IMAGE; names are those of files in one folder. */
void qn_plot_write_script(const struct qn_plot_picture *p, FILE *out, const char *script, const char *data,
                          const char *image);
void qn_plot_write_heat(const struct qn_plot_picture *p, FILE *out, const char *data);

/* ---- the small print below a picture: program, caches, simulator, counting, quern ----
 *
 *   a sweep        columns that are the same in all rows and are not drawn
 *   a profile      its descriptions
 *   a log          its first lines
 */

struct qn_plot_keys; /* input.h */

void qn_plot_caption_sweep(struct qn_plot_picture *p, const struct qn_plot_keys *k);
void qn_plot_caption_profile(struct qn_plot_picture *p, const struct qn_prof_header *h);
/* Opens a profile and puts its description into the caption; close it afterwards.  NULL with `err` filled. */
struct qn_prof_reader *qn_plot_open_profile(struct qn_plot_picture *p, const char *path, struct qn_text_error *err);
/* For two profiles: what both have once, the rest behind "A: " and "B: ". */
void qn_plot_caption_two(struct qn_plot_picture *p, const struct qn_prof_header *a, const struct qn_prof_header *b);

/* The number of sets of D1 or LL; 0: the profile does not have it. */
double qn_plot_count_sets(const struct qn_prof_header *h, const char *level);
double qn_plot_line_bytes(const struct qn_prof_header *h, const char *level); /* the same, of its lines */

/* The program first, as "./prog arg". */
void qn_plot_caption_command(struct qn_plot_picture *p, const char *command);
/* "D1: 32 KiB, 8 ways, lines of 64 B" for level D1 and "32768 B, 64 B, 8-way associative"; NULL: the text has another form. */
char *qn_plot_read_cache(struct qn_text_memory *m, const char *level, const char *text);

/* ---- flame.c: the paths of calls of a profile (`quern run --calls=paths`) as bars upon each other, into request->output ---- */

enum qn_text_status qn_plot_draw_flame(const struct qn_plot_request *q, struct qn_text_error *err);

#endif
