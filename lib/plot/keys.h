/* lib/plot/keys.h - which rows of a sweep belong to one curve: what differs between them, apart from x, tells.
 *
 *   program sim   D1_size D1_ways        x is D1_size, panels are programs
 *   gzip    lru   1024    2              sim differs: curves "lru", "fifo"; D1_ways is the same for all
 *   gzip    fifo  1024    2
 *
 * The program and the simulator always tell curves apart.  Another column does if without it two rows would stand at
 * one place and differ in y; so a command line that follows from x, or an option that this predictor has not, makes no
 * curves of its own.
 */
#ifndef QN_PLOT_KEYS_H
#define QN_PLOT_KEYS_H

#include "plot/input.h"

struct qn_plot_keys {
    const struct qn_plot_input *in;
    struct qn_exp_memory *memory;
    int x, y, panel;       /* columns, -1: none */
    int *columns, count;   /* that tell curves apart */
};

/* Fills columns.  `chosen`: the names of the columns, with commas between them; NULL: as above; "": none. */
enum qn_text_status qn_plot_find_keys(struct qn_plot_keys *k, const char *chosen, struct qn_text_error *err);

/* "srrip, 4 ways"; "" where there are no keys. */
char *qn_plot_name_curve(const struct qn_plot_keys *k, int row);

/* Whether all rows have the same text there; also where there is no such column. */
bool qn_plot_is_constant(const struct qn_plot_input *in, int column);

#endif
