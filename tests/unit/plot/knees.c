/* tests/unit/plot/knees.c - where a curve bends, by the rule in plot.h, worked out by hand. */
#include "plot/plot.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* A curve of sizes 1, 2, 4, ...; its knees as text. */
static void curve(const double *misses, int count, const char *wanted, const char *what)
{
    struct qn_text_table t = { 0 };
    double knees[QN_PLOT_KNEES_MAX];
    char got[200] = "";
    int n;

    qn_text_add_column(&t, "size");
    qn_text_add_column(&t, "misses");
    for (int i = 0; i < count; i++) {
        char **row = qn_text_add_row(&t);

        row[0] = qn_text_format(&t.memory, "%d", 1 << i);
        row[1] = qn_text_format(&t.memory, "%g", misses[i]);
    }
    n = qn_plot_find_knees(&t, knees);
    for (int i = 0; i < n; i++)
        sprintf(got + strlen(got), "%g ", knees[i]);
    is_str(got, wanted, "%s", what);
    qn_text_free_table(&t);
}

int main(void)
{
    /* Falls of 5 45 1 9 20 1 from 90 to 9: a tenth is 8.1; behind 45 comes 1, behind 9 comes 20, behind 20 comes 1. */
    curve((double[]){ 90, 85, 40, 39, 30, 10, 9 }, 7, "4 32 ", "two working sets");
    curve((double[]){ 50, 50, 50, 0.5, 0.5 }, 5, "8 ", "a step");
    curve((double[]){ 50, 50, 50, 0.5 }, 4, "8 ", "a step at the end");
    curve((double[]){ 10, 10, 10 }, 3, "", "a flat curve has none");
    curve((double[]){ 64, 32, 16, 8, 4, 2, 1 }, 7, "", "nor has one that is halved each time: each fall is half of the last, not less");
    curve((double[]){ 64, 22, 8, 3, 1 }, 5, "2 4 ", "thirds: 42, 14, 5, 2 of 63: each is less than half of the last, two are a tenth");
    curve((double[]){ 7 }, 1, "", "one point");
    curve(NULL, 0, "", "none");

    /* Only sizes that have their half in the curve can be knees. */
    {
        struct qn_text_table t = { 0 };
        double knees[QN_PLOT_KNEES_MAX];
        static const char *const rows[][2] = { { "1", "90" }, { "2", "80" }, { "3", "10" }, { "4", "9" }, { "8", "9" } };

        qn_text_add_column(&t, "size");
        qn_text_add_column(&t, "misses");
        for (int i = 0; i < 5; i++) {
            char **row = qn_text_add_row(&t);

            row[0] = qn_text_copy(&t.memory, rows[i][0]);
            row[1] = qn_text_copy(&t.memory, rows[i][1]);
        }
        is_int(qn_plot_find_knees(&t, knees), 1, "each size of a curve of all sizes: one knee");
        is_int((int64_t)knees[0], 4, "... at the power of two");
        qn_text_free_table(&t);
    }
    return done_testing();
}
