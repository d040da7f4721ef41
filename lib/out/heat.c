/*
 * Heat bar. See heat.h.
 *
 * In:  counts of a row, the summary, the primary sort event
 * Out: ESC [ 3x m, 8 cells, the row, ESC [ 0 m
 *
 * The bar is logarithmic: a full bar is everything, each cell less is half as much, so that a
 * profile's long tail can still be told apart.
 */
#include "out/heat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/table.h"

enum { CELLS = 8 };

int qn_out_use_heat(enum qn_out_color color, int fd)
{
    if (color != QN_OUT_COLOR_AUTO)
        return color == QN_OUT_COLOR_ALWAYS || color == QN_OUT_COLOR_YES;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no_color && *no_color) || !term || strcmp(term, "dumb") == 0)
        return 0;
    return isatty(fd);
}

/* Cells of the bar: CELLS for at least a half of the total, one fewer for each halving. */
static int cells_of(const struct qn_out_table *t, const int64_t *counts)
{
    const struct qn_out_key *key = &t->columns->sort[0];
    double total = qn_out_key_weight(key, t->total), share = qn_out_key_weight(key, counts);
    if (share == 0 || total == 0)
        return 0;
    int cells = CELLS;
    for (double level = total / 2; cells > 1 && share < level; level /= 2)
        cells--;
    return cells;
}

void qn_out_heat_heading(struct qn_out_sink *s, const struct qn_out_table *t)
{
    if (t->heat)
        qn_out_pad(s, '_', CELLS);
    if (t->heat)
        qn_out_putc(s, ' ');
}

void qn_out_heat_blank(struct qn_out_sink *s, const struct qn_out_table *t)
{
    if (t->heat)
        qn_out_pad(s, ' ', CELLS + 1);
}

void qn_out_heat_begin(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts)
{
    if (!t->heat)
        return;
    int cells = cells_of(t, counts);
    /* Bold red from a quarter up, yellow from a sixteenth, green below; plain for nothing. */
    const char *color = cells >= CELLS - 1 ? "\x1b[1;31m" : cells >= CELLS - 3 ? "\x1b[33m"
                        : cells > 0 ? "\x1b[32m" : "";
    qn_out_puts(s, color);
    qn_out_pad(s, '#', cells);
    qn_out_pad(s, ' ', CELLS - cells + 1);
}

void qn_out_heat_end(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts)
{
    if (t->heat && cells_of(t, counts) > 0)
        qn_out_puts(s, "\x1b[0m");
}
