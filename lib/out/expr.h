/*
 * Arithmetic on events: a column that is computed from the events of a profile.
 *
 * In:  "100*(D1mr+D1mw)/(Dr+Dw)" and a profile's events; then a row of counts
 * Out: a program; then a number, or "no value" where something was divided by zero
 *
 * Grammar: sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = number, event,
 * ( sum ), - factor. An event is named as in the events: line.
 *
 * Invariants: evaluation allocates nothing and cannot fail; QN_PROF_NONE counts as 0.
 */
#ifndef QN_OUT_EXPR_H
#define QN_OUT_EXPR_H

#include <stdint.h>

#include "text/error.h"
#include "prof/read.h"

struct qn_out_expr;

/* NULL with `err` filled where the text is malformed or names no event. */
struct qn_out_expr *qn_out_parse_expr(const char *text, const struct qn_prof_header *events,
                                      struct qn_text_error *err);
void qn_out_free_expr(struct qn_out_expr *e);

/* 1 and the value; 0 where it has none. */
int qn_out_eval_expr(const struct qn_out_expr *e, const int64_t *counts, double *value);

#endif
