/* lib/plot/input.h - reads a CSV file with named columns, and keeps the line of each row.
 *
 *   program,D1_size,status        column "D1_size"
 *   gzip,1024,ok                  row 0, line 2
 *
 * Invariants: every row has all columns; rows that --where leaves out, and runs that failed, are not there.
 */
#ifndef QN_PLOT_INPUT_H
#define QN_PLOT_INPUT_H

#include "text/csv.h"
#include "plot/picture.h"

struct qn_plot_input {
    const char *path;
    struct qn_text_table t;
    long *lines; /* by row: its line in the file, from 1 */
    int failed;  /* number of failed runs, which have no row */
};

/* Fills `in` in any case; free it. */
enum qn_text_status qn_plot_read_input(struct qn_plot_input *in, const struct qn_plot_request *q, const char *path,
                                       struct qn_text_error *err);
void qn_plot_free_input(struct qn_plot_input *in);

/* The number of the column; -1 and a message where there is none. */
int qn_plot_need_column(const struct qn_plot_input *in, const char *name, struct qn_text_error *err);
/* The number in a cell; a message where it is something else. */
enum qn_text_status qn_plot_need_number(const struct qn_plot_input *in, int row, int column, double *number,
                                        struct qn_text_error *err);

#endif
