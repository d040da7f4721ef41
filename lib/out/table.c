/*
 * Columns of numbers of the modern style. See table.h.
 *
 * In:  counts, the summary
 * Out: aligned text
 */
#include "out/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "out/sink.h"

#define NOT_AVAILABLE "n/a"

void qn_out_init_table(struct qn_out_table *t, const struct qn_out_columns *columns,
                       const int64_t *total, int show_percs, int cumulative)
{
    memset(t, 0, sizeof *t);
    t->columns = columns;
    t->total = total;
    t->show_percs = show_percs;
    t->cumulative = cumulative;
    t->widths = QN_NEEDED(calloc((size_t)columns->shown_count, sizeof *t->widths));
}

void qn_out_free_table(struct qn_out_table *t)
{
    free(t->widths);
    t->widths = NULL;
}

/* ---- Heat bar ----
 *
 * In:  counts of a row, the summary, the primary sort event
 * Out: ESC [ 3x m, 8 cells, the row, ESC [ 0 m
 *
 * The bar is logarithmic: a full bar is everything, each cell less is half as much, so that a
 * profile's long tail can still be told apart.
 */

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

enum qn_out_heat qn_out_heat(double share)
{
    return share >= 0.25 ? QN_OUT_HOT : share >= 0.0625 ? QN_OUT_WARM : share > 0 ? QN_OUT_COOL : QN_OUT_COLD;
}

/* The share of the primary event, without its sign. */
static double share_of(const struct qn_out_table *t, const int64_t *counts)
{
    const struct qn_out_column *key = &t->columns->sort[0];
    double total = qn_out_key_weight(key, t->total), part = qn_out_key_weight(key, counts);
    return total > 0 ? part / total : 0;
}

/* Cells of the bar: CELLS for at least a half of the total, one fewer for each halving. */
static int cells_of(double share)
{
    int cells = share > 0 ? CELLS : 0;
    for (double level = 0.5; cells > 1 && share < level; level /= 2)
        cells--;
    return cells;
}

static void put_heat_heading(struct qn_out_sink *s, const struct qn_out_table *t)
{
    if (t->heat && !t->brief)
        qn_out_pad(s, '_', CELLS);
    if (t->heat && !t->brief)
        qn_out_putc(s, ' ');
}

static void put_heat_blank(struct qn_out_sink *s, const struct qn_out_table *t)
{
    if (t->heat && !t->brief)
        qn_out_pad(s, ' ', CELLS + 1);
}

void qn_out_heat_begin(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts)
{
    if (!t->heat)
        return;
    static const char *const colors[] = {[QN_OUT_COLD] = "", [QN_OUT_COOL] = "\x1b[32m", [QN_OUT_WARM] = "\x1b[33m", [QN_OUT_HOT] = "\x1b[1;31m"};
    double share = share_of(t, counts);
    int cells = cells_of(share);
    qn_out_puts(s, colors[qn_out_heat(share)]);
    if (t->brief)
        return;
    qn_out_pad(s, '#', cells);
    qn_out_pad(s, ' ', CELLS - cells + 1);
}

void qn_out_heat_end(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts)
{
    if (t->heat && share_of(t, counts) > 0)
        qn_out_puts(s, "\x1b[0m");
}

/* ---- cells and rows ---- */

/* "12.3%" or "n/a". */
static int percent_text(char to[QN_OUT_PERCENT_MAX], int64_t count, int64_t total)
{
    if (total == 0) {
        memcpy(to, NOT_AVAILABLE, sizeof NOT_AVAILABLE);
        return (int)sizeof NOT_AVAILABLE - 1;
    }
    int n = qn_out_fixed(to, qn_out_percent(count, total), 1);
    memcpy(to + n, "%", 2);
    return n + 1;
}

/* "470,845,008 (100.0%)": of estimated cycles there is a total, so they have a percentage. */
static int cycles_text(char to[QN_OUT_PERCENT_MAX], const struct qn_out_table *t, const struct qn_out_column *c, double value)
{
    double total;
    int n = qn_out_commify(to, llround(value));
    if (t->show_percs && value != 0 && qn_out_eval_expr(c->expr, t->total, &total) && total != 0)
        n += snprintf(to + n, QN_OUT_PERCENT_MAX - (size_t)n, " (%.1f%%)", 100 * value / total);
    return n;
}

static int expr_text(char to[QN_OUT_PERCENT_MAX], const struct qn_out_table *t, const struct qn_out_column *c,
                     const int64_t *counts)
{
    double value;
    if (!qn_out_eval_expr(c->expr, counts, &value))
        return snprintf(to, QN_OUT_PERCENT_MAX, NOT_AVAILABLE);
    if (value > 1e18 || value < -1e18)
        return snprintf(to, QN_OUT_PERCENT_MAX, "%.3e", value);
    if (c->is_cycles)
        return cycles_text(to, t, c, value);
    return snprintf(to, QN_OUT_PERCENT_MAX, c->is_percent ? "%.1f%%" : "%.3f", value);
}

/* The texts of a brief cell: the value, and its part of the total, "" below half a per cent. */
static void brief_texts(const struct qn_out_table *t, const struct qn_out_column *c, const int64_t *counts, char value[QN_OUT_PERCENT_MAX],
                        char percent[QN_OUT_PERCENT_MAX])
{
    double part = 0, total = 0;
    *percent = '\0';
    if (c->event < 0 && !c->is_cycles) {
        expr_text(value, t, c, counts);
        return;
    }
    part = qn_out_key_value(c, counts);
    total = qn_out_key_value(c, t->total);
    qn_out_brief(value, part);
    if (t->show_percs && total != 0 && fabs(part / total) >= 0.005)
        snprintf(percent, QN_OUT_PERCENT_MAX, " %3.0f%%", 100 * part / total);
}

static void widen(int64_t *least, int64_t *most, int64_t value)
{
    if (value < *least)
        *least = value;
    if (value > *most)
        *most = value;
}

void qn_out_measure(struct qn_out_table *t, const int64_t *counts, const int64_t *sums)
{
    for (int i = 0; i < t->columns->shown_count; i++) {
        const struct qn_out_column *c = &t->columns->shown[i];
        struct qn_out_widths *w = &t->widths[i];
        if (t->brief) {
            char value[QN_OUT_PERCENT_MAX], percent[QN_OUT_PERCENT_MAX];
            brief_texts(t, c, counts, value, percent);
            w->expr = (int)strlen(value) > w->expr ? (int)strlen(value) : w->expr;
            w->percent = (int)strlen(percent) > w->percent ? (int)strlen(percent) : w->percent;
            continue;
        }
        if (c->event < 0) {
            char text[QN_OUT_PERCENT_MAX];
            int n = expr_text(text, t, c, counts);
            w->expr = n > w->expr ? n : w->expr;
            continue;
        }
        widen(&w->least, &w->most, counts[c->event]);
        if (sums)
            widen(&w->least_sum, &w->most_sum, sums[c->event]);
    }
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int count_width(int64_t value)
{
    char text[QN_OUT_COUNT_MAX];
    return qn_out_commify(text, value);
}

/* Width of a percentage without its " (" and ")"; none for a zero that is not in an outer row. */
static int percent_width(const struct qn_out_table *t, int64_t value, int64_t total)
{
    char text[QN_OUT_PERCENT_MAX];
    return value == 0 && !t->cumulative ? 0 : percent_text(text, value, total);
}

static void fix_event(const struct qn_out_table *t, struct qn_out_widths *w, int64_t total)
{
    w->count = max(count_width(w->least), count_width(w->most));
    w->count = max(w->count, 1);
    if (!t->show_percs)
        return;
    int n = max(percent_width(t, w->least, total), percent_width(t, w->most, total));
    n = max(n, percent_width(t, 0, total));
    if (t->cumulative) {
        w->percent = n + 2; /* " (" */
        n = max(percent_width(t, w->least_sum, total), percent_width(t, w->most_sum, total));
        w->second = max(n, percent_width(t, 0, total)) + 3; /* ", " and ")" */
    } else {
        w->percent = n ? n + 3 : 0; /* " (" and ")" */
    }
}

void qn_out_fix_widths(struct qn_out_table *t)
{
    for (int i = 0; i < t->columns->shown_count; i++) {
        const struct qn_out_column *c = &t->columns->shown[i];
        struct qn_out_widths *w = &t->widths[i];
        if (c->event < 0 || t->brief)
            w->count = max(w->expr, 1);
        else
            fix_event(t, w, t->total[c->event]);
        int short_of = (int)strlen(c->name) - w->count - w->percent - w->second;
        w->count += max(short_of, 0);
    }
}

void qn_out_put_heading(struct qn_out_sink *s, const struct qn_out_table *t)
{
    s->cutting = t->brief;
    put_heat_heading(s, t);
    for (int i = 0; i < t->columns->shown_count; i++) {
        const char *name = t->columns->shown[i].name;
        const struct qn_out_widths *w = &t->widths[i];
        qn_out_puts(s, name);
        qn_out_pad(s, '_', w->count + w->percent + w->second - (long)strlen(name));
        qn_out_putc(s, ' ');
    }
}

static void put_right(struct qn_out_sink *s, const char *text, int n, int width)
{
    qn_out_pad(s, ' ', width - n);
    qn_out_put(s, text, (size_t)n);
}

/* The part " (12.3%" right-justified, then what the kind of row asks for. */
static void put_percents(struct qn_out_sink *s, const struct qn_out_widths *w,
                         enum qn_out_row kind, int64_t count, int64_t sum, int64_t total)
{
    char text[QN_OUT_PERCENT_MAX];
    int n = percent_text(text, count, total);
    int close = kind == QN_OUT_PLAIN; /* the ) belongs to the width of the first part */
    qn_out_pad(s, ' ', w->percent - n - 2 - close);
    qn_out_puts(s, " (");
    qn_out_put(s, text, (size_t)n);
    if (kind == QN_OUT_OUTER) {
        qn_out_puts(s, ", ");
        n = percent_text(text, sum, total);
        put_right(s, text, n, w->second - 3);
    }
    qn_out_putc(s, ')');
    if (kind == QN_OUT_INNER)
        qn_out_pad(s, ' ', w->second - 1);
}

void qn_out_put_row(struct qn_out_sink *s, const struct qn_out_table *t, enum qn_out_row kind,
                    const int64_t *counts, const int64_t *sums)
{
    s->cutting = t->brief;
    qn_out_heat_begin(s, t, counts);
    for (int i = 0; i < t->columns->shown_count; i++) {
        const struct qn_out_column *c = &t->columns->shown[i];
        const struct qn_out_widths *w = &t->widths[i];
        char text[QN_OUT_PERCENT_MAX];
        if (t->brief) {
            char percent[QN_OUT_PERCENT_MAX];
            brief_texts(t, c, counts, text, percent);
            put_right(s, text, (int)strlen(text), w->count);
            put_right(s, percent, (int)strlen(percent), w->percent);
            qn_out_putc(s, ' ');
            continue;
        }
        int64_t count = c->event < 0 ? 0 : counts[c->event];
        int n = c->event < 0 ? expr_text(text, t, c, counts) : qn_out_commify(text, count);
        put_right(s, text, n, w->count);
        if (c->event >= 0 && t->show_percs && (count != 0 || kind == QN_OUT_OUTER))
            put_percents(s, w, kind, count, sums ? sums[c->event] : 0, t->total[c->event]);
        else
            qn_out_pad(s, ' ', w->percent + w->second);
        qn_out_putc(s, ' ');
    }
    qn_out_heat_end(s, t, counts);
}

/* The same text in place of each count. */
static void put_each(struct qn_out_sink *s, const struct qn_out_table *t, const char *text)
{
    s->cutting = t->brief;
    put_heat_blank(s, t);
    for (int i = 0; i < t->columns->shown_count; i++) {
        const struct qn_out_widths *w = &t->widths[i];
        put_right(s, text, (int)strlen(text), w->count);
        qn_out_pad(s, ' ', w->percent + w->second + 1);
    }
}

void qn_out_put_dots(struct qn_out_sink *s, const struct qn_out_table *t) { put_each(s, t, "."); }
void qn_out_put_blanks(struct qn_out_sink *s, const struct qn_out_table *t) { put_each(s, t, ""); }
