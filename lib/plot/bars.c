/* lib/plot/bars.c - the parts of a script that draw bars: vertical stacked ones, and horizontal ones.
 *
 *   plot 'a.csv' using 2:xticlabels(1) ... title 'compulsory', ...
 *   plot 'a.csv' using (0):(-$0):(0):2:(-$0-0.4):(-$0+0.4):yticlabels(1) with boxxyerror ...
 */
#include <string.h>

#include "plot/script.h"

#define NAMES_ACROSS 110     /* characters of all names below vertical bars; if there are more, names are turned */
#define TURNED_ROOM 6        /* pixels for each character of a turned name */
#define NAME_WIDTH 1         /* of the left margin, for each character */
#define NAME_EDGE 4
#define BAR_HALF 0.4         /* of the room for a row */
#define KEY_LEAST 12         /* characters of the right margin with a legend, */
#define KEY_SAMPLE 8         /* and of the sample beside a name there */
#define END_ROOM 1.12        /* length of the x axis, in longest bars: room for labels */

static size_t longest_cell(const struct qn_plot_picture *p, size_t *sum)
{
    size_t longest = 0;

    *sum = 0;
    for (int row = 0; row < p->data.row_count; row++) {
        size_t n = strlen(qn_text_cell(&p->data, row, 0)) + 2;

        longest = n > longest ? n : longest;
        *sum += n;
    }
    return longest;
}

void qn_plot_write_stacked(const struct qn_plot_picture *p, FILE *out, const char *data)
{
    size_t sum, longest = longest_cell(p, &sum);
    bool turned = longest * (size_t)p->data.row_count > NAMES_ACROSS;
    double unit = qn_plot_choose_unit(p, 0, p->curve_count);

    qn_plot_write_frame(p, out, turned ? (int)longest * TURNED_ROOM : 0);
    if (turned)
        fputs("set xtics rotate by -40 left\n", out);
    fputs("set xtics scale 0\nset ylabel ", out);
    qn_plot_quote_unit(out, p->panels[0].y_label, unit);
    fputs("\nset yrange [0:*]\nset style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
          "set key outside right top Left reverse invert spacing 1.2\n\n", out);
    for (int i = 0; i < p->curve_count; i++) {
        const struct qn_plot_curve *c = &p->curves[i];

        fputs(i ? ", \\\n     " : "plot ", out);
        qn_plot_quote(out, data);
        fputs(" using ", out);
        qn_plot_write_using(out, c->column + 1, unit);
        fprintf(out, "%s linecolor rgb '%s' fillstyle %s border rgb 'black' title ", i ? "" : ":xticlabels(1)",
                qn_plot_colours[c->style % QN_PLOT_STYLES], qn_plot_fills[qn_plot_turn(c->style)]);
        qn_plot_quote(out, c->name);
    }
    putc('\n', out);
}

/* ---- horizontal bars ---- */

static void write_length_axis(const struct qn_plot_picture *p, FILE *out, double unit)
{
    double least = 0, most = 0;

    for (int i = 0; i < p->curve_count; i++) {
        double low = 0, high = 0;

        qn_plot_find_range(p, p->curves[i].column, &low, &high);
        least = low / unit < least ? low / unit : least;
        most = high / unit > most ? high / unit : most;
    }
    fprintf(out, "set xrange [%.10g:%.10g]\n", least * END_ROOM, most > 0 ? most * END_ROOM : -least * (END_ROOM - 1));
}

static void write_bar(const struct qn_plot_picture *p, FILE *out, const char *data, int i, double unit)
{
    const struct qn_plot_curve *c = &p->curves[i];
    double height = 2 * BAR_HALF / p->curve_count, top = BAR_HALF - i * height;

    qn_plot_quote(out, data);
    fputs(" using (0):(-$0):(0):", out);
    qn_plot_write_using(out, c->column + 1, unit);
    fprintf(out,
            ":(-$0%+.3f):(-$0%+.3f):yticlabels(1) with boxxyerror linecolor rgb '%s' fillstyle %s border rgb 'black' "
            "title ",
            top - height, top, qn_plot_colours[c->style], qn_plot_fills[c->style]);
    qn_plot_quote(out, c->name);
}

/* The right margin, in characters. */
static int key_width(const struct qn_plot_picture *p)
{
    int most = KEY_LEAST;

    for (int i = 0; i < p->curve_count; i++)
        most = (int)strlen(p->curves[i].name) + KEY_SAMPLE > most ? (int)strlen(p->curves[i].name) + KEY_SAMPLE : most;
    return p->curve_count > 1 ? most : 4;
}

void qn_plot_write_bars(const struct qn_plot_picture *p, FILE *out, const char *data)
{
    int rows = p->data.row_count, end = p->curve_count + 2;
    size_t sum, longest = longest_cell(p, &sum);
    double unit = qn_plot_choose_unit(p, 0, p->curve_count);

    qn_plot_write_frame(p, out, 0);
    fprintf(out, "set lmargin %zu\nset rmargin %d\n", longest * NAME_WIDTH + NAME_EDGE, key_width(p));
    write_length_axis(p, out, unit);
    fprintf(out, "set yrange [%.1f:0.6]\nset ytics scale 0\nset grid noytics xtics\n", -(rows - 0.4));
    fputs(p->curve_count > 1 ? "set key outside right top Left reverse\n\n" : "unset key\n\n", out);
    for (int i = 0; i < p->curve_count; i++) {
        fputs(i ? ", \\\n     " : "plot ", out);
        write_bar(p, out, data, i, unit);
    }
    fputs(", \\\n     ", out);
    qn_plot_quote(out, data);
    fputs(" using ", out);
    qn_plot_write_using(out, end, unit);
    fprintf(out, ":(-$0):%d with labels left offset 0.6,0 font ',11' notitle\n", end + 1);
}
