/* lib/plot/lines.h - the part of a script that draws curves: one panel, or several in rows. */
#ifndef QN_PLOT_LINES_H
#define QN_PLOT_LINES_H

#include "plot/script.h"

void qn_plot_write_lines(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_layout *l);

/* Lines of the legend that all panels share; 0: they need none. */
int qn_plot_count_key_lines(const struct qn_plot_picture *p);

#endif
