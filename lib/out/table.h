/*
 * The columns of numbers of the modern style: widths, headings, rows.
 *
 * In:  rows of counts to be shown in one section (measured first, then put)
 * Out: Ir____________ Bc___________
 *      570 (62.0%)    21 (60.0%)
 *
 * A cumulative table (functions) gives its outer rows two percentages, "(11.4%, 53.1%)", and leaves
 * room for the second in its inner rows. A row of zero has a percentage only in an outer row.
 * Rule for widths: the count and the percentage of 0, of the smallest and of the largest value of a
 * column fix its width; a heading that is longer widens the count.
 *
 * Invariants: every put line is as wide as the heading; measuring comes before qn_out_fix_widths,
 * putting after it.
 */
#ifndef QN_OUT_TABLE_H
#define QN_OUT_TABLE_H

#include <stdint.h>

#include "out/columns.h"
#include "out/sink.h"

enum qn_out_row { QN_OUT_PLAIN, QN_OUT_OUTER, QN_OUT_INNER };

struct qn_out_table {
    const struct qn_out_columns *columns;
    const int64_t *total; /* the summary: 100% */
    int show_percs, cumulative;
    int heat; /* the heat bar */
    int brief; /* for a terminal: "16.9 M  86%", and heat is a colour without a bar */
    struct qn_out_widths {
        int64_t least, most, least_sum, most_sum; /* what was measured, 0 included */
        int expr;                                 /* widest value of an expression, or of any column if brief */
        int count, percent, second;               /* the fixed widths */
    } *widths;                                    /* by shown column */
};

void qn_out_init_table(struct qn_out_table *t, const struct qn_out_columns *columns,
                       const int64_t *total, int show_percs, int cumulative);
void qn_out_free_table(struct qn_out_table *t);

/* Takes a row into account; `sums` are the cumulative counts of an outer row, else NULL. */
void qn_out_measure(struct qn_out_table *t, const int64_t *counts, const int64_t *sums);
void qn_out_fix_widths(struct qn_out_table *t);

/* The heading, padded with _, with a blank after each column; no newline. */
void qn_out_put_heading(struct qn_out_sink *s, const struct qn_out_table *t);

/* A row, with a blank after each column; no newline. */
void qn_out_put_row(struct qn_out_sink *s, const struct qn_out_table *t, enum qn_out_row kind,
                    const int64_t *counts, const int64_t *sums);

/* A row of dots, for a source line without counts; a row of blanks, before a remark. */
void qn_out_put_dots(struct qn_out_sink *s, const struct qn_out_table *t);
void qn_out_put_blanks(struct qn_out_sink *s, const struct qn_out_table *t);

/* ---- The heat bar and colours of a report on a terminal ----
 *
 * In:  a row's share of the primary event
 * Out: a bar of 8 cells before the row, in a colour that grows warmer; nothing where heat is off
 *
 * Off by default, so that text in files and pipes is what the original prints.
 * Invariants: everything that is switched on is switched off before the line ends.
 */

enum qn_out_color { QN_OUT_COLOR_AUTO, QN_OUT_COLOR_ALWAYS, QN_OUT_COLOR_NEVER, QN_OUT_COLOR_YES, QN_OUT_COLOR_NO };

/* Whether to show heat on `fd`: auto means a terminal, NO_COLOR unset or empty and TERM not dumb. */
int qn_out_use_heat(enum qn_out_color color, int fd);

/* The heat of a share of the total: hot from a quarter up, warm from a sixteenth, cool below. */
enum qn_out_heat { QN_OUT_COLD, QN_OUT_COOL, QN_OUT_WARM, QN_OUT_HOT };
enum qn_out_heat qn_out_heat(double share);

void qn_out_heat_begin(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts);
void qn_out_heat_end(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts);

#endif
