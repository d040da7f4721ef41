/* lib/plot/input.h - reads a CSV file with named columns, and keeps the line of each row.
 *
 *   program,D1_size,status        column "D1_size"
 *   gzip,1024,ok                  row 0, line 2
 *
 * Invariants: every row has all columns; rows that --where leaves out, and runs that failed, are not there.
 */
#ifndef QN_PLOT_INPUT_H
#define QN_PLOT_INPUT_H

#include "plot/picture.h"
#include "text/csv.h"

struct qn_plot_input {
    const char *path;
    struct qn_text_table t;
    long *lines; /* by row: its line in the file, from 1 */
    int failed;  /* number of failed runs, which have no row */
};

/* Fills `in` in any case; free it. */
/* An error if --region was given. */
enum qn_text_status qn_plot_refuse_region(const char *path, struct qn_text_error *err);
enum qn_text_status qn_plot_read_input(struct qn_plot_input *in, const struct qn_plot_request *q, const char *path,
                                       struct qn_text_error *err);
void qn_plot_free_input(struct qn_plot_input *in);

/* The number of the column; -1 and a message where there is none. */
int qn_plot_need_column(const struct qn_plot_input *in, const char *name, struct qn_text_error *err);
/* The number in a cell; a message where it is something else. */
enum qn_text_status qn_plot_need_number(const struct qn_plot_input *in, int row, int column, double *number,
                                        struct qn_text_error *err);

/* ---- finds the columns of a sweep by which curves differ (the keys) ----
 *
 *   program sim   D1_size D1_ways        x is D1_size, panels are programs
 *   gzip    lru   1024    2              sim differs: curves "lru", "fifo"; D1_ways is the same for all
 *   gzip    fifo  1024    2
 *
 * The program and the simulator are always keys.  Another column is a key if without it two rows of one curve would have
 * the same x and different y.  So a command line that follows from x, or an option that the predictor does not have, makes
 * no more curves.
 */

struct qn_plot_keys {
    const struct qn_plot_input *in;
    struct qn_text_memory *memory;
    int x, y, panel;       /* columns, -1: none */
    int *columns, count;   /* the keys */
};

/* Fills columns.  `chosen`: the names of the columns, with commas between them; NULL: as above; "": none. */
enum qn_text_status qn_plot_find_keys(struct qn_plot_keys *k, const char *chosen, struct qn_text_error *err);

/* "srrip, 4 ways"; "" where there are no keys. */
char *qn_plot_name_curve(const struct qn_plot_keys *k, int row);

/* Whether all rows have the same text there; also where there is no such column. */
bool qn_plot_is_constant(const struct qn_plot_input *in, int column);

#endif
