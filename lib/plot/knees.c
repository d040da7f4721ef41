/* lib/plot/knees.c - see knees.h. */
#include "plot/knees.h"

#define DROP 0.1 /* of the height of the curve, since half the size */
#define NEXT 0.5 /* the next step down is less than this part of it */

/* The row of a size; -1: it has none. */
static int find_size(const struct qn_text_table *t, double size)
{
    for (int row = 0; row < t->row_count; row++)
        if (qn_text_number(t, row, 0) == size)
            return row;
    return -1;
}

/* How far the curve falls from half the size to the size; 0 at the ends. */
static double drop_to(const struct qn_text_table *t, double size)
{
    int here = find_size(t, size), half = find_size(t, size / 2);

    return here < 0 || half < 0 ? 0 : qn_text_number(t, half, 1) - qn_text_number(t, here, 1);
}

int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX])
{
    double height = curve->row_count ? qn_text_number(curve, 0, 1) - qn_text_number(curve, curve->row_count - 1, 1) : 0;
    int count = 0;

    for (int row = 1; row < curve->row_count && count < QN_PLOT_KNEES_MAX; row++) {
        double size = qn_text_number(curve, row, 0), drop = drop_to(curve, size);

        if (drop > 0 && drop >= DROP * height && drop_to(curve, 2 * size) < NEXT * drop)
            knees[count++] = size;
    }
    return count;
}
