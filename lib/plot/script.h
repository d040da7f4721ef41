/* lib/plot/script.h - the functions that the parts of a gnuplot script share.
 *
 *   it's        -> 'it''s'                       quoted; nothing in it has a meaning
 *   lru, fifo   -> blue and a full line with circles, vermilion and dashes with squares
 *
 * The colours are those of M. Okabe, K. Ito, Color universal design, 2008, which people with any of the common colour
 * blindnesses tell apart; dashes, points and hatches differ, too, so that a black and white print can be read.
 */
#ifndef QN_PLOT_SCRIPT_H
#define QN_PLOT_SCRIPT_H

#include <stdio.h>

#include "plot/picture.h"

#define QN_PLOT_STYLES 7 /* colours, and ways to fill */
#define QN_PLOT_LINE_STYLES 49 /* any two of them differ in two of colour, dash and marker: also in grey, and for the colour-blind */
extern const char *const qn_plot_colours[QN_PLOT_STYLES];
/* Those of gnuplot's fill patterns that differ in print. */
extern const char *const qn_plot_fills[QN_PLOT_STYLES];

#define QN_PLOT_WIDTH 1200  /* pixels; of pdf hundredths of an inch */
#define QN_PLOT_HEIGHT 747

/* Room, in pixels from the bottom. */
#define QN_PLOT_CAPTION_LINE 15
#define QN_PLOT_CAPTION_EDGE 12
#define QN_PLOT_KEY_LINE 22
#define QN_PLOT_AXIS 85 /* numbers and name of the x axis */

struct qn_plot_layout {
    int height, caption_lines, key_lines; /* key_lines: of a legend below the panels */
};

void qn_plot_quote(FILE *out, const char *text);
/* A scale for large numbers in these curves: 1, 1e3, 1e6 or 1e9, so that an axis has few digits. */
double qn_plot_choose_unit(const struct qn_plot_picture *p, int first, int count);
/* 'D1 misses (thousands)', quoted. */
void qn_plot_quote_unit(FILE *out, const char *text, double unit);
/* Column N of the data in that unit: "2" or "($2/1000)". */
void qn_plot_write_using(FILE *out, int column, double unit);
/* Writes title, room below and name of the x axis of a picture with one panel. */
void qn_plot_write_frame(const struct qn_plot_picture *p, FILE *out, int more_room);

#endif
