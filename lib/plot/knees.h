/* lib/plot/knees.h - finds the knees of a curve of misses by size, which are the sizes of working sets.
 *
 *   size,miss_percent  64,90  128,85  256,40  512,39      ->  256: the curve falls by 45 of 51 there, and hardly after it
 *
 * A knee is a size at which the curve has lost at least a tenth of its whole height since half that size, while the next step
 * down, to twice the size, is less than half as high.
 */
#ifndef QN_PLOT_KNEES_H
#define QN_PLOT_KNEES_H

#include "text/csv.h"

#define QN_PLOT_KNEES_MAX 16

/* Column 0 has the sizes, ascending, column 1 the misses.  Fills knees[], the smallest first; returns how many. */
int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX]);

#endif
