/* lib/plot/script.c - writes a gnuplot script: its beginning, and the parts that all pictures share.  See script.h.
 *
 *   # a.gp - written by quern plot size; draws a.csv as a.svg.  Change what you like, then: gnuplot a.gp
 *   set terminal svg ...
 */
#include "plot/script.h"

#include <math.h>
#include <string.h>

#include "text/escape.h"

static void write_lines(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_layout *l);
static int count_key_lines(const struct qn_plot_picture *p);

#define USUAL_FONT "sans,13"
#define BETWEEN ";  "     /* parts of the caption */
#define CAPTION_ROOM 150 /* characters in a line of the caption */
#define BAR_ROOM 34      /* pixels for a horizontal bar, or for a pair of them */
#define PANEL_ROOM 330   /* pixels of height for each of several panels */
#define BARS_EDGE 220    /* pixels above and below the bars */

const char *const qn_plot_colours[QN_PLOT_STYLES] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9",
};
const char *const qn_plot_fills[QN_PLOT_STYLES] = {
    "solid 0.9", "pattern 4", "pattern 2", "pattern 5", "pattern 1", "pattern 7", "pattern 6",
};
static const char *const dashes[QN_PLOT_STYLES] = {
    "1", "(12,5)", "(3,4)", "(12,4,3,4)", "(6,3)", "(16,4,3,4,3,4)", "(2,2)",
};
/* All that gnuplot has, the filled ones first. */
static const int point_types[] = { 7, 5, 9, 13, 4, 6, 8, 11, 15, 12, 10, 14, 1, 2, 3 };
#define POINT_TYPES (sizeof point_types / sizeof *point_types)
#define NEXT_ROUND 4 /* dashes that each round of colours is further: with 15 markers, of any two curves one at most of the three is the same */

/* ---- text ---- */

/* Writes text that stands between single quotes. */
static void put_quoted(FILE *out, const char *text)
{
    for (size_t left = strlen(text), taken; left; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, text, left, &taken);

        fprintf(out, "%s%.*s", *piece == '\'' ? "'" : "", (int)n, piece);
    }
}

void qn_plot_quote(FILE *out, const char *text)
{
    putc('\'', out);
    put_quoted(out, text);
    putc('\'', out);
}

/* As a fraction of the height. */
static double fraction(const struct qn_plot_layout *l, int pixels) { return (double)pixels / l->height; }

/* Writes the caption, broken into lines: '...' . "\n" . '...'; returns their number.  out NULL: only counts them. */
static int write_caption(const struct qn_plot_picture *p, FILE *out)
{
    size_t used = 0;
    int lines = 1;

    for (int i = 0; i < p->caption_count; i++) {
        size_t n = strlen(p->caption[i]) + strlen(BETWEEN);
        bool breaks = used && used + n > CAPTION_ROOM;

        if (out) {
            fputs(i == 0 ? "'" : breaks ? ";' . \"\\n\" . '" : BETWEEN, out);
            put_quoted(out, p->caption[i]);
        }
        lines += breaks;
        used = breaks ? n : used + n;
    }
    if (out)
        putc('\'', out);
    return lines;
}

/* ---- numbers ---- */

/* Numbers of at least `from` are shown in `unit`. */
static const struct scale {
    double from, unit;
    const char *name;
} scales[] = {
    { 1e10, 1e9, " (billions)" }, { 1e7, 1e6, " (millions)" }, { 1e5, 1e3, " (thousands)" }, { 0, 1, "" },
};

double qn_plot_choose_unit(const struct qn_plot_picture *p, int first, int count)
{
    const struct scale *s = scales;
    double most = 0;

    for (int i = first; i < first + count; i++) {
        double low = 0, high = 0;

        qn_plot_find_range(p, p->curves[i].column, &low, &high);
        most = high > most ? high : -low > most ? -low : most;
    }
    while (most < s->from)
        s++;
    return s->unit;
}

void qn_plot_quote_unit(FILE *out, const char *text, double unit)
{
    const struct scale *s = scales;

    while (s->unit > unit)
        s++;
    qn_plot_quote(out, text);
    if (*s->name) {
        fputs(" . ", out);
        qn_plot_quote(out, s->name);
    }
}

void qn_plot_write_using(FILE *out, int column, double unit)
{
    if (unit == 1)
        fprintf(out, "%d", column);
    else
        fprintf(out, "(column(%d)/%.10g)", column, unit);
}

/* ---- names below the x axis ---- */

#define NAMES_ACROSS 110     /* characters of all names below vertical bars; if there are more, names are turned */
#define TURNED_ROOM 6        /* pixels for each character of a turned name */

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

/* Pixels below the axis for names of x, which are turned. */
static int room_for_names(const struct qn_plot_picture *p)
{
    size_t sum;

    return p->x_names ? (int)longest_cell(p, &sum) * TURNED_ROOM - QN_PLOT_AXIS / 2 : 0;
}

/* ---- layout ---- */

static int bar_height(const struct qn_plot_picture *p)
{
    int wanted = BARS_EDGE + p->data.row_count * (p->curve_count > 1 ? BAR_ROOM * 3 / 2 : BAR_ROOM);

    return wanted < QN_PLOT_HEIGHT / 2 ? QN_PLOT_HEIGHT / 2 : wanted;
}

static struct qn_plot_layout lay_out(const struct qn_plot_picture *p)
{
    struct qn_plot_layout l = { .height = QN_PLOT_HEIGHT, .caption_lines = write_caption(p, NULL) };
    int rows = (p->panel_count + p->across - 1) / p->across;

    if (p->form == QN_PLOT_BARS)
        l.height = bar_height(p);
    if (p->panel_count > 1) {
        l.key_lines = count_key_lines(p);
        if (rows > 2)
            l.height = rows * PANEL_ROOM;
        if (rows == 1)
            l.height = QN_PLOT_HEIGHT * 3 / 4;
        l.height += rows * room_for_names(p);
    }
    if (p->request->height)
        l.height = p->request->height;
    return l;
}

/* ---- the beginning ---- */

static void write_terminal(const struct qn_plot_picture *p, FILE *out, const char *image, int height)
{
    const char *end = strrchr(image, '.'), *font = p->request->font ? p->request->font : USUAL_FONT;
    int width = p->request->width ? p->request->width : QN_PLOT_WIDTH;

    if (!strcmp(end, ".png"))
        fprintf(out, "set terminal pngcairo size %d,%d noenhanced font '%s'\n", width, height, font);
    else if (!strcmp(end, ".pdf"))
        fprintf(out, "set terminal pdfcairo size %.2fin,%.2fin noenhanced font '%s' fontscale 0.75\n", width / 100.,
                height / 100., font);
    else
        fprintf(out, "set terminal svg size %d,%d noenhanced font '%s' fontscale 1.3 background '#FFFFFF'\n", width, height,
                font);
    fputs("set output ", out);
    qn_plot_quote(out, image);
    fputs("\nset encoding utf8\nset datafile separator comma\nset datafile columnheaders\nset datafile missing ''\nset "
          "datafile commentschars ''\n\n",
          out);
}

/* The dash, or the fill, of a style: each round of colours begins at another one. */
static int turn(int style) { return (style + NEXT_ROUND * (style / QN_PLOT_STYLES)) % QN_PLOT_STYLES; }

static void write_styles(const struct qn_plot_picture *p, FILE *out)
{
    int styles = QN_PLOT_STYLES;

    for (int i = 0; i < p->curve_count; i++)
        if (p->curves[i].style >= styles)
            styles = p->curves[i].style + 1;
    for (int i = 0; i < styles && i < QN_PLOT_LINE_STYLES; i++)
        fprintf(out, "set style line %d linecolor rgb '%s' dashtype %s pointtype %d linewidth 2 pointsize 0.8\n",
                i + 1, qn_plot_colours[i % QN_PLOT_STYLES], dashes[turn(i)], point_types[(size_t)i % POINT_TYPES]);
    fputs("set border 3\nset tics nomirror\nset grid ytics linecolor rgb '#D0D0D0' linewidth 1 dashtype 1\n\n", out);
}

static void write_caption_label(const struct qn_plot_picture *p, FILE *out, const struct qn_plot_layout *l)
{
    if (!p->caption_count)
        return;
    fputs("set label 1 ", out);
    write_caption(p, out);
    fprintf(out, " at screen 0.5, screen %.4f center font ',10'\n",
            fraction(l, QN_PLOT_CAPTION_EDGE + (l->caption_lines - 1) * QN_PLOT_CAPTION_LINE));
}

void qn_plot_write_frame(const struct qn_plot_picture *p, FILE *out, int more_room)
{
    struct qn_plot_layout l = lay_out(p);
    int bottom = QN_PLOT_CAPTION_EDGE + l.caption_lines * QN_PLOT_CAPTION_LINE + QN_PLOT_AXIS + more_room;

    fputs("set title ", out);
    qn_plot_quote(out, p->title);
    fprintf(out, "\nset bmargin at screen %.4f\nset xlabel ", fraction(&l, bottom));
    qn_plot_quote_unit(out, p->x_label, p->form == QN_PLOT_BARS   ? qn_plot_choose_unit(p, 0, p->curve_count)
                                        : p->form == QN_PLOT_HEAT ? qn_plot_choose_unit(p, 1, 1)
                                                                  : 1);
    putc('\n', out);
}

static void write_stacked(const struct qn_plot_picture *p, FILE *out, const char *data);

static void write_bars(const struct qn_plot_picture *p, FILE *out, const char *data);

/* ---- all ---- */

void qn_plot_write_script(const struct qn_plot_picture *p, FILE *out, const char *script, const char *data,
                          const char *image)
{
    struct qn_plot_layout l = lay_out(p);

    fprintf(out, "# %s" QN_PLOT_WRITTEN "%s; draws %s as %s.  Change what you like, then: gnuplot %s\n", script,
            p->request->kind, data, image, script);
    write_terminal(p, out, image, l.height);
    write_styles(p, out);
    write_caption_label(p, out, &l);
    switch (p->form) {
    case QN_PLOT_STACKED: write_stacked(p, out, data); break;
    case QN_PLOT_BARS: write_bars(p, out, data); break;
    case QN_PLOT_HEAT: qn_plot_write_heat(p, out, data); break;
    default: write_lines(p, out, data, &l); break;
    }
}

/* ---- curves over numbers ----
 *
 *   plot 'a.csv' using ($1/1024):2 with linespoints linestyle 1 title 'lru', \
 *        'a.csv' using ($1/1024):3 with linespoints linestyle 2 title 'fifo'
 */

#define TICS_MAX 12        /* numbers on a logarithmic axis */
#define LONG_NUMBER 8192   /* above, all are written with Ki and Mi; of KiB with MiB and GiB */
#define WHOLE_MOST 20
#define EDGE 1.001         /* so that rounding does not put the last number beyond the end of the axis */
#define KEY_ROOM 24        /* characters of a name in a legend beside the picture */
#define KEYS_ACROSS 100    /* characters of all names in a line below */
#define KEY_SAMPLE 8       /* characters of a sample */
#define KEY_NARROW 6       /* so many characters may be one wider than gnuplot takes them for (DejaVu Sans) */
#define IMPULSES_THICK 128 /* up to so many impulses are drawn as wide as other lines */
#define MARK_STEP 0.05     /* labels of marks stand so far below each other */

/* ---- the x axis ---- */

static void write_tic(FILE *out, int power, bool prefixes, bool of_KiB)
{
    static const char *const prefix[][4] = {{"", "Ki", "Mi", "Gi"}, {"", " MiB", " GiB", " TiB"}};
    int thousands = prefixes && power > 0 ? power / 10 < 3 ? power / 10 : 3 : 0;

    if (power < 0)
        fprintf(out, "'1/%.0f' %.10g", ldexp(1, -power), ldexp(1, power));
    else
        fprintf(out, "'%.0f%s' %.0f", ldexp(1, power - 10 * thousands), prefix[of_KiB][thousands], ldexp(1, power));
}

/* Numbers at powers of two, only so many that they do not touch. */
static void write_tics(FILE *out, double least, double most, bool of_KiB)
{
    int low = (int)ceil(log2(least) - 1e-9), high = (int)floor(log2(most) + 1e-9), step = 1;

    while ((high - low) / step + 1 > TICS_MAX)
        step++;
    if (high < low)
        return;
    fputs("set xtics (", out);
    for (int power = low; power <= high; power += step) {
        fputs(power > low ? ", " : "", out);
        write_tic(out, power, most > LONG_NUMBER, of_KiB);
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

    if (p->x_names) {
        fprintf(out, "set xtics rotate by -40 left font ',11' scale 0\nset xrange [-0.5:%.1f]\n", p->data.row_count - 0.5);
        return;
    }
    qn_plot_find_range(p, 0, &least, &most);
    least /= p->x_unit;
    most /= p->x_unit;
    if (p->log_x && least > 0) {
        fputs("set logscale x 2\n", out);
        write_tics(out, least, most, p->x_unit == QN_PLOT_KIB);
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
    const char *with = p->form == QN_PLOT_IMPULSES ? "impulses" : p->points && !c->plain ? "linespoints" : "lines";

    fprintf(out, " with %s linestyle %d", with, c->style % QN_PLOT_LINE_STYLES + 1);
    if (p->form == QN_PLOT_IMPULSES)
        fprintf(out, " linewidth %d", p->data.row_count <= IMPULSES_THICK ? 4 : 1);
}

static void write_curve(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_curve *c,
                        double unit, bool named)
{
    qn_plot_quote(out, data);
    fputs(" using ", out);
    if (p->x_names)
        fputs("0", out);
    else
        qn_plot_write_using(out, 1, p->x_unit);
    putc(':', out);
    qn_plot_write_using(out, c->column + 1, unit);
    fputs(p->x_names ? ":xticlabels(1)" : "", out);
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

/* Characters that a legend beside the picture needs more than gnuplot reserves. */
static int key_spare(const struct qn_plot_picture *p) { return 1 + (int)longest_name(p) / KEY_NARROW; }

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

    qn_plot_write_frame(p, out, room_for_names(p));
    fputs("set rmargin 4\nset ylabel ", out);
    qn_plot_quote_unit(out, panel->y_label, unit_of(p, panel));
    putc('\n', out);
    write_x_axis(p, out);
    write_y_axis(p, out, panel);
    write_marks(p, out);
    if (!named)
        fputs("unset key\n\n", out);
    else if (longest_name(p) <= KEY_ROOM)
        fprintf(out, "unset rmargin\nset key outside right top Left reverse samplen 3 spacing 1.2 width %d\n\n", key_spare(p));
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

static int count_key_lines(const struct qn_plot_picture *p)
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
    int bottom = below + l->key_lines * QN_PLOT_KEY_LINE + QN_PLOT_AXIS + room_for_names(p);

    fprintf(out, "set multiplot layout %d,%d margins %.3f,0.97,%.4f,%.4f spacing 0.09,%.4f title ", rows, p->across,
            p->across > 1 ? 0.075 : 0.11, fraction(l, bottom),
            1 - fraction(l, *p->panels[0].title ? 95 : 60),
            fraction(l, (*p->panels[0].title ? 105 : 55) + room_for_names(p)));
    qn_plot_quote(out, p->title);
    fputs("\nset tics font ',10'\n", out);
    write_x_axis(p, out);
    if (l->key_lines)
        fprintf(out, "set key at screen 0.5, screen %.4f center bottom horizontal Left reverse samplen 3 width 2 maxrows %d\n",
                fraction(l, below + 8), l->key_lines);
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

static void write_lines(const struct qn_plot_picture *p, FILE *out, const char *data, const struct qn_plot_layout *l)
{
    if (p->panel_count == 1)
        write_single(p, out, data);
    else
        write_several(p, out, data, l);
}

/* ---- the parts of a script that draw bars: vertical stacked ones, and horizontal ones ----
 *
 *   plot 'a.csv' using 2:xticlabels(1) ... title 'compulsory', ...
 *   plot 'a.csv' using (0):(-$0):(0):2:(-$0-0.4):(-$0+0.4):yticlabels(1) with boxxyerror ...
 */

#define NAME_WIDTH 1         /* of the left margin, for each character */
#define NAME_EDGE 4
#define BAR_HALF 0.4         /* of the room for a row */
#define KEY_LEAST 12         /* characters of the right margin with a legend, */
#define END_ROOM 1.17        /* length of the x axis, in longest bars: room for labels */

/* Its parts that are not for lines. */
static void write_stacked(const struct qn_plot_picture *p, FILE *out, const char *data)
{
    size_t sum, longest = longest_cell(p, &sum);
    bool turned = longest * (size_t)p->data.row_count > NAMES_ACROSS;
    double unit = qn_plot_choose_unit(p, 0, p->curve_count);

    qn_plot_write_frame(p, out, turned ? (int)longest * TURNED_ROOM : 0);
    if (turned)
        fputs("set xtics rotate by -40 left\n", out);
    fputs("set xtics scale 0\nset ylabel ", out);
    qn_plot_quote_unit(out, p->panels[0].y_label, unit);
    fprintf(out, "\nset yrange [0:*]\nset style data histograms\nset style histogram rowstacked\nset boxwidth 0.7\n"
            "set key outside right top Left reverse invert spacing 1.2 width %d\n\n", key_spare(p));
    for (int i = 0; i < p->curve_count; i++) {
        const struct qn_plot_curve *c = &p->curves[i];

        fputs(i ? ", \\\n     " : "plot ", out);
        qn_plot_quote(out, data);
        fputs(" using ", out);
        qn_plot_write_using(out, c->column + 1, unit);
        fprintf(out, "%s linecolor rgb '%s' fillstyle %s border rgb 'black' title ", i ? "" : ":xticlabels(1)",
                qn_plot_colours[c->style % QN_PLOT_STYLES], qn_plot_fills[turn(c->style)]);
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

static void write_bars(const struct qn_plot_picture *p, FILE *out, const char *data)
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
