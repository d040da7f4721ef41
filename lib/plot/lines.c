/* lib/plot/lines.c - see lines.h.
 *
 *   plot 'a.csv' using ($1/1024):2 with linespoints linestyle 1 title 'lru', \
 *        'a.csv' using ($1/1024):3 with linespoints linestyle 2 title 'fifo'
 */
#include "plot/lines.h"

#include <math.h>
#include <string.h>

#define TICS_MAX 12        /* numbers on a logarithmic axis */
#define LONG_NUMBER 8192   /* above, all are written with Ki and Mi */
#define WHOLE_MOST 20
#define EDGE 1.001         /* so that rounding does not put the last number beyond the end of the axis */
#define KEY_ROOM 24        /* characters of a name in a legend beside the picture */
#define KEYS_ACROSS 100    /* characters of all names in a line below */
#define KEY_SAMPLE 8       /* characters of a sample */
#define IMPULSES_THICK 128 /* up to so many impulses are drawn as wide as other lines */
#define MARK_STEP 0.05     /* labels of marks stand so far below each other */

/* ---- the x axis ---- */

static void write_tic(FILE *out, int power, bool prefixes)
{
    static const char *const prefix[] = {"", "Ki", "Mi", "Gi"};
    int thousands = prefixes && power > 0 ? power / 10 < 3 ? power / 10 : 3 : 0;

    if (power < 0)
        fprintf(out, "'1/%.0f' %.10g", ldexp(1, -power), ldexp(1, power));
    else
        fprintf(out, "'%.0f%s' %.0f", ldexp(1, power - 10 * thousands), prefix[thousands], ldexp(1, power));
}

/* Numbers at powers of two, only so many that they do not touch. */
static void write_tics(FILE *out, double least, double most)
{
    int low = (int)ceil(log2(least) - 1e-9), high = (int)floor(log2(most) + 1e-9), step = 1;

    while ((high - low) / step + 1 > TICS_MAX)
        step++;
    if (high < low)
        return;
    fputs("set xtics (", out);
    for (int power = low; power <= high; power += step) {
        fputs(power > low ? ", " : "", out);
        write_tic(out, power, most > LONG_NUMBER);
    }
    fputs(")\n", out);
}

/* Is x a few whole numbers, such as ways?  Then there are no tics between them. */
static bool is_whole(const struct qn_plot_picture *p, double least, double most)
{
    double x;

    for (int row = 0; row < p->data.row_count; row++)
        if (qn_text_cell_number(&p->data, row, 0, &x) && x != floor(x))
            return false;
    return p->x_unit == 1 && most - least <= WHOLE_MOST;
}

static void write_x_axis(const struct qn_plot_picture *p, FILE *out)
{
    double least = 0, most = 0;

    qn_plot_find_range(p, 0, &least, &most);
    least /= p->x_unit;
    most /= p->x_unit;
    if (p->log_x && least > 0) {
        fputs("set logscale x 2\n", out);
        write_tics(out, least, most);
    } else if (is_whole(p, least, most))
        fputs(most - least > WHOLE_MOST / 2 ? "set xtics 2\n" : "set xtics 1\n", out);
    if (least == most)
        fprintf(out, "set xrange [%.10g:%.10g]\n", p->log_x ? least / 2 : least - 1, p->log_x ? most * 2 : most + 1);
    else if (p->form == QN_PLOT_IMPULSES)
        fprintf(out, "set xrange [-0.5:%.10g]\n", most + 0.5);
    else
        fprintf(out, "set xrange [%.10g:%.10g]\n", p->points ? least : 0, p->log_x ? most * EDGE : most);
}

/* ---- the y axis ---- */

/* The y axis begins at zero, so that heights can be compared, unless there are negative values. */
static void write_y_axis(const struct qn_plot_picture *p, FILE *out, const struct qn_plot_panel *panel)
{
    double least = 0, most = 0;

    for (int i = panel->first; i < panel->first + panel->count; i++) {
        double low, high;

        if (qn_plot_find_range(p, p->curves[i].column, &low, &high)) {
            least = low < least ? low : least;
            most = high > most ? high : most;
        }
    }
    if (p->log_y)
        fputs("set logscale y\nset yrange [*:*]\n", out);
    else if (least < 0)
        fputs("set yrange [*:*]\n", out);
    else
        fputs(most > 0 ? "set yrange [0:*]\n" : "set yrange [0:1]\n", out);
}

static double unit_of(const struct qn_plot_picture *p, const struct qn_plot_panel *panel)
{
    return qn_plot_choose_unit(p, panel->first, panel->count);
}

/* ---- curves ---- */

static void write_style(const struct qn_plot_picture *p, FILE *out, const struct qn_plot_curve *c)
{
    const char *with = p->form == QN_PLOT_IMPULSES ? "impulses" : p->points ? "linespoints" : "lines";

    fprintf(out, " with %s linestyle %d", with, c->style % QN_PLOT_LINE_STYLES + 1);
    if (p->form == QN_PLOT_IMPULSES)
        fprintf(out, " linewidth %d", p->data.row_count <= IMPULSES_THICK ? 4 : 1);
}

static void write_curve(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_curve *c,
                        double unit, bool named)
{
    qn_plot_quote(out, data);
    fputs(" using ", out);
    qn_plot_write_using(out, 1, p->x_unit);
    putc(':', out);
    qn_plot_write_using(out, c->column + 1, unit);
    write_style(p, out, c);
    fputs(named ? " title " : " notitle", out);
    if (named)
        qn_plot_quote(out, c->name);
}

static void write_panel(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_panel *panel,
                        bool named)
{
    double unit = unit_of(p, panel);

    for (int i = 0; i < panel->count; i++) {
        fputs(i ? ", \\\n     " : "plot ", out);
        write_curve(p, out, data, &p->curves[panel->first + i], unit, named);
    }
    putc('\n', out);
}

/* ---- one panel ---- */

static size_t longest_name(const struct qn_plot_picture *p)
{
    size_t longest = 0;

    for (int i = 0; i < p->curve_count; i++)
        if (strlen(p->curves[i].name) > longest)
            longest = strlen(p->curves[i].name);
    return longest;
}

static void write_marks(const struct qn_plot_picture *p, FILE *out)
{
    double least = 0, most = 0;

    qn_plot_find_range(p, 0, &least, &most);
    for (int i = 0; i < p->mark_count; i++) {
        double x = p->marks[i].x / p->x_unit;
        bool right = p->marks[i].x >= most / 2; /* no room to the right of the mark */

        fprintf(out, "set arrow %d from %.10g, graph 0 to %.10g, graph 1 nohead linecolor rgb '#808080' dashtype 3\n",
                10 + i, x, x);
        fprintf(out, "set label %d ", 10 + i);
        qn_plot_quote(out, p->marks[i].label);
        fprintf(out, " at %.10g, graph %.2f %s offset %s,0 font ',11'\n", x, 0.96 - MARK_STEP * (i % 6),
                right ? "right" : "left", right ? "-0.5" : "0.5");
    }
}

static void write_single(const struct qn_plot_picture *p, FILE *out, const char *data)
{
    const struct qn_plot_panel *panel = &p->panels[0];
    bool named = p->curve_count > 1;

    qn_plot_write_frame(p, out, 0);
    fputs("set rmargin 4\nset ylabel ", out);
    qn_plot_quote_unit(out, panel->y_label, unit_of(p, panel));
    putc('\n', out);
    write_x_axis(p, out);
    write_y_axis(p, out, panel);
    write_marks(p, out);
    if (!named)
        fputs("unset key\n\n", out);
    else if (longest_name(p) <= KEY_ROOM)
        fputs("unset rmargin\nset key outside right top Left reverse samplen 3 spacing 1.2\n\n", out);
    else
        fputs("set key outside top center horizontal Left reverse samplen 3\n\n", out);
    write_panel(p, out, data, panel, named);
}

/* ---- several ---- */

static int count_styles(const struct qn_plot_picture *p)
{
    int styles = 0;

    for (int i = 0; i < p->curve_count; i++)
        if (p->curves[i].style >= styles)
            styles = p->curves[i].style + 1;
    return styles;
}

int qn_plot_count_key_lines(const struct qn_plot_picture *p)
{
    int styles = count_styles(p), across = KEYS_ACROSS / ((int)longest_name(p) + KEY_SAMPLE);

    if (styles < 2)
        return 0;
    across = across < 1 ? 1 : across;
    return (styles + across - 1) / across;
}

/* The legend of all panels is drawn with the first panel.  Its entries have no curves, so that it also has styles that are only
 * in other panels. */
static void write_key(const struct qn_plot_picture *p, FILE *out, int styles)
{
    for (int style = 0; style < styles; style++)
        for (int i = 0; i < p->curve_count; i++)
            if (p->curves[i].style == style) {
                fputs(style ? ", \\\n     " : "plot ", out);
                fputs("keyentry", out);
                write_style(p, out, &p->curves[i]);
                fputs(" title ", out);
                qn_plot_quote(out, p->curves[i].name);
                break;
            }
}

static void write_first_panel(const struct qn_plot_picture *p, FILE *out, const char *data,
                              const struct qn_plot_layout *l)
{
    const struct qn_plot_panel *panel = &p->panels[0];
    int styles = l->key_lines ? count_styles(p) : 0;

    write_key(p, out, styles);
    for (int i = 0; i < panel->count; i++) {
        fputs(i || styles ? ", \\\n     " : "plot ", out);
        write_curve(p, out, data, &p->curves[panel->first + i], unit_of(p, panel), false);
    }
    fputs("\nunset label 1\nunset key\n", out);
}

static void write_multiplot(const struct qn_plot_picture *p, FILE *out, const struct qn_plot_layout *l)
{
    int rows = (p->panel_count + p->across - 1) / p->across;
    int below = QN_PLOT_CAPTION_EDGE + l->caption_lines * QN_PLOT_CAPTION_LINE;
    int bottom = below + l->key_lines * QN_PLOT_KEY_LINE + QN_PLOT_AXIS;

    fprintf(out, "set multiplot layout %d,%d margins %.3f,0.97,%.4f,%.4f spacing 0.09,%.4f title ", rows, p->across,
            p->across > 1 ? 0.075 : 0.11, qn_plot_fraction(l, bottom),
            1 - qn_plot_fraction(l, *p->panels[0].title ? 95 : 60),
            qn_plot_fraction(l, *p->panels[0].title ? 105 : 55));
    qn_plot_quote(out, p->title);
    fputs("\nset tics font ',10'\n", out);
    write_x_axis(p, out);
    if (l->key_lines)
        fprintf(out, "set key at screen 0.5, screen %.4f center bottom horizontal Left reverse samplen 3 width 2 maxrows %d\n",
                qn_plot_fraction(l, below + 8), l->key_lines);
    else
        fputs("unset key\n", out);
}

static void write_several(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_layout *l)
{
    write_multiplot(p, out, l);
    for (int i = 0; i < p->panel_count; i++) {
        const struct qn_plot_panel *panel = &p->panels[i];
        bool lowest = p->across > 1 || i == p->panel_count - 1;

        fputs("\nset title ", out);
        qn_plot_quote(out, panel->title);
        fputs("\nset ylabel ", out);
        qn_plot_quote_unit(out, panel->y_label, unit_of(p, panel));
        fputs(" font ',11'\nset xlabel ", out);
        qn_plot_quote(out, lowest ? p->x_label : "");
        fputs(" font ',11' offset 0,0.5\n", out);
        write_y_axis(p, out, panel);
        if (i == 0)
            write_first_panel(p, out, data, l);
        else
            write_panel(p, out, data, panel, false);
    }
    fputs("unset multiplot\n", out);
}

void qn_plot_write_lines(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_layout *l)
{
    if (p->panel_count == 1)
        write_single(p, out, data);
    else
        write_several(p, out, data, l);
}
