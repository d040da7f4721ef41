/* lib/plot/keys.h - finds the columns of a sweep by which curves differ (the keys).
 *
 *   program sim   D1_size D1_ways        x is D1_size, panels are programs
 *   gzip    lru   1024    2              sim differs: curves "lru", "fifo"; D1_ways is the same for all
 *   gzip    fifo  1024    2
 *
 * The program and the simulator are always keys.  Another column is a key if without it two rows of one curve would have
 * the same x and different y.  So a command line that follows from x, or an option that the predictor does not have, makes
 * no more curves.
 */
#ifndef QN_PLOT_KEYS_H
#define QN_PLOT_KEYS_H

#include "plot/input.h"

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
