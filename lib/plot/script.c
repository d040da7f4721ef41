/* lib/plot/script.c - writes a gnuplot script: its beginning, and the parts that all pictures share.  See script.h.
 *
 *   # a.gp - written by quern plot size; draws a.csv as a.svg.  Change what you like, then: gnuplot a.gp
 *   set terminal svg ...
 */
#include "plot/script.h"

#include <string.h>

#include "plot/lines.h"
#include "text/escape.h"

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

double qn_plot_fraction(const struct qn_plot_layout *l, int pixels) { return (double)pixels / l->height; }

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
        l.key_lines = qn_plot_count_key_lines(p);
        if (rows > 2)
            l.height = rows * PANEL_ROOM;
        if (rows == 1)
            l.height = QN_PLOT_HEIGHT * 3 / 4;
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

int qn_plot_turn(int style) { return (style + NEXT_ROUND * (style / QN_PLOT_STYLES)) % QN_PLOT_STYLES; }

static void write_styles(const struct qn_plot_picture *p, FILE *out)
{
    int styles = QN_PLOT_STYLES;

    for (int i = 0; i < p->curve_count; i++)
        if (p->curves[i].style >= styles)
            styles = p->curves[i].style + 1;
    for (int i = 0; i < styles && i < QN_PLOT_LINE_STYLES; i++)
        fprintf(out, "set style line %d linecolor rgb '%s' dashtype %s pointtype %d linewidth 2 pointsize 0.8\n",
                i + 1, qn_plot_colours[i % QN_PLOT_STYLES], dashes[qn_plot_turn(i)], point_types[(size_t)i % POINT_TYPES]);
    fputs("set border 3\nset tics nomirror\nset grid ytics linecolor rgb '#D0D0D0' linewidth 1 dashtype 1\n\n", out);
}

static void write_caption_label(const struct qn_plot_picture *p, FILE *out, const struct qn_plot_layout *l)
{
    if (!p->caption_count)
        return;
    fputs("set label 1 ", out);
    write_caption(p, out);
    fprintf(out, " at screen 0.5, screen %.4f center font ',10'\n",
            qn_plot_fraction(l, QN_PLOT_CAPTION_EDGE + (l->caption_lines - 1) * QN_PLOT_CAPTION_LINE));
}

void qn_plot_write_frame(const struct qn_plot_picture *p, FILE *out, int more_room)
{
    struct qn_plot_layout l = lay_out(p);
    int bottom = QN_PLOT_CAPTION_EDGE + l.caption_lines * QN_PLOT_CAPTION_LINE + QN_PLOT_AXIS + more_room;

    fputs("set title ", out);
    qn_plot_quote(out, p->title);
    fprintf(out, "\nset bmargin at screen %.4f\nset xlabel ", qn_plot_fraction(&l, bottom));
    qn_plot_quote_unit(out, p->x_label, p->form == QN_PLOT_BARS   ? qn_plot_choose_unit(p, 0, p->curve_count)
                                        : p->form == QN_PLOT_HEAT ? qn_plot_choose_unit(p, 1, 1)
                                                                  : 1);
    putc('\n', out);
}

/* ---- all ---- */

void qn_plot_write_script(const struct qn_plot_picture *p, FILE *out, const char *script, const char *data,
                          const char *image)
{
    struct qn_plot_layout l = lay_out(p);

    fprintf(out, "# %s - written by quern plot %s; draws %s as %s.  Change what you like, then: gnuplot %s\n", script,
            p->request->kind, data, image, script);
    write_terminal(p, out, image, l.height);
    write_styles(p, out);
    write_caption_label(p, out, &l);
    switch (p->form) {
    case QN_PLOT_STACKED: qn_plot_write_stacked(p, out, data); break;
    case QN_PLOT_BARS: qn_plot_write_bars(p, out, data); break;
    case QN_PLOT_HEAT: qn_plot_write_heat(p, out, data); break;
    default: qn_plot_write_lines(p, out, data, &l); break;
    }
}
