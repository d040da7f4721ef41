/*
 * The heat bar and colours of a report on a terminal.
 *
 * In:  a row's share of the primary event
 * Out: a bar of 8 cells before the row, in a colour that grows warmer; nothing where heat is off
 *
 * Off by default, so that text in files and pipes is what the original prints.
 * Invariants: everything that is switched on is switched off before the line ends.
 */
#ifndef QN_OUT_HEAT_H
#define QN_OUT_HEAT_H

#include <stdint.h>

#include "out/sink.h"

struct qn_out_table;

enum qn_out_color { QN_OUT_COLOR_AUTO, QN_OUT_COLOR_ALWAYS, QN_OUT_COLOR_NEVER, QN_OUT_COLOR_YES, QN_OUT_COLOR_NO };

/* Whether to show heat on `fd`: auto means a terminal, NO_COLOR unset or empty and TERM not dumb. */
int qn_out_use_heat(enum qn_out_color color, int fd);

void qn_out_heat_heading(struct qn_out_sink *s, const struct qn_out_table *t);
void qn_out_heat_begin(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts);
void qn_out_heat_end(struct qn_out_sink *s, const struct qn_out_table *t, const int64_t *counts);
void qn_out_heat_blank(struct qn_out_sink *s, const struct qn_out_table *t);

#endif
