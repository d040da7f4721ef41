/*
 * Chooses the columns of a report, and the events by which it sorts.
 *
 * In:  "Ir,D1mr%,cpi=(Ir+10*DLmr)/Ir" and the events of a profile
 * Out: columns: event 0; the known ratio D1mr%; the expression called cpi
 *
 * Known ratios (per cent, or per 1000 instructions), from the definitions in Cachegrind's manual:
 *   I1mr% ILmr% over Ir; D1mr% DLmr% over Dr; D1mw% DLmw% over Dw; D1m% over Dr+Dw;
 *   LLmr% = (ILmr+DLmr+DLmw)/(Ir+Dr+Dw); LLlocal% over the misses of the first level;
 *   D1use%: bytes used of lines of the D1 (run --data=use); Bcm% over Bc; Bim% over Bi; Bm% over both; MPKI: last-level misses, L1MPKI: first-level
 *   misses, BMPKI: mispredictions; Ir/line: instructions for each line from or to memory (run --sim=writeback).
 *
 * Estimated time: cycles, cycles.issue and its other parts, CPI and its parts, AMAT. With --timing, and without --show, cycles,
 * CPI and AMAT come behind the events. Rows can be sorted by cycles and their parts, because these add up as events do.
 *
 * Invariant: an event of the profile goes before a ratio of the same name.
 */
#ifndef QN_OUT_COLUMNS_H
#define QN_OUT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "prof/read.h"
#include "text/error.h"

/* A column of numbers; or a key by which rows are sorted and compared with a threshold: an event, estimated cycles, or a part of them. */
struct qn_out_column {
    char *name;
    int event;                /* -1: an expression */
    struct qn_out_expr *expr; /* NULL: an event */
    int is_percent;           /* the expression's name ends in % */
    int is_cycles;            /* estimated cycles: a count */
};

struct qn_out_columns {
    struct qn_out_column *shown;
    int shown_count;
    struct qn_out_column *sort; /* the first is primary */
    int sort_count;
};

/* Fills `c`. show and sort: comma-separated, NULL or "" for all events in the profile's order.
 * Unknown names: "--show event `X' did not appear in `events:` line". */
enum qn_text_status qn_out_choose_columns(struct qn_out_columns *c,
                                          const struct qn_prof_header *events, const char *show,
                                          const char *sort, struct qn_text_error *err);
/* The same with every event, then every known ratio whose events are all there. */
enum qn_text_status qn_out_choose_all_columns(struct qn_out_columns *c,
                                              const struct qn_prof_header *events,
                                              struct qn_text_error *err);
/* The same for events of which some are not available; these have the name "". show NULL: all others except `hidden` (-1: none), as
 * many as have room.  `each`: characters of a column, at least. */
enum qn_text_status qn_out_choose_available_columns(struct qn_out_columns *c, const struct qn_prof_header *events, int hidden, int room, int each,
                                                    const char *show, const char *sort, struct qn_text_error *err);
/* The same for a terminal: estimated cycles, by which rows are sorted unless `sort` says otherwise, instructions, and the events that have
 * QN_OUT_COSTLY of the cycles of `total` or more, the costliest first, as many as have room. */
#define QN_OUT_COSTLY 0.01
enum qn_text_status qn_out_choose_costly_columns(struct qn_out_columns *c, const struct qn_prof_header *events, const int64_t *total, int room, int each,
                                                 const char *sort, struct qn_text_error *err);
/* The key's value in a row, and its absolute value. */
double qn_out_key_value(const struct qn_out_column *k, const int64_t *counts);
double qn_out_key_weight(const struct qn_out_column *k, const int64_t *counts);
/* Order of two rows by the absolute counts of the sort events, largest first: negative where a comes first. */
int qn_out_compare_counts(const struct qn_out_columns *c, const int64_t *a, const int64_t *b);
void qn_out_free_columns(struct qn_out_columns *c);

/* ---- Arithmetic on events: a column that is computed from the events of a profile ----
 *
 * In:  "100*(D1mr+D1mw)/(Dr+Dw)" and a profile's events; then a row of counts
 * Out: a program; then a number, or "no value" where something was divided by zero
 *
 * Grammar: sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = number, event,
 * ( sum ), - factor. An event is named as in the events: line.
 *
 * Invariants: evaluation allocates nothing and cannot fail; QN_PROF_NONE counts as 0.
 */

struct qn_out_expr;

/* NULL with `err` filled where the text is malformed or names no event. */
struct qn_out_expr *qn_out_parse_expr(const char *text, const struct qn_prof_header *events,
                                      struct qn_text_error *err);
void qn_out_free_expr(struct qn_out_expr *e);

/* 1 and the value; 0 where it has none. */
int qn_out_eval_expr(const struct qn_out_expr *e, const int64_t *counts, double *value);

/* ---- Estimated time: cycles out of counts, as a student would work them out by hand ----
 *
 * In:  --timing=width=2,LL=200 and the events of a profile
 * Out: the expression behind a column:  cycles = Ir/2+10*(I1mr+D1mr+D1mw)+200*(ILmr+DLmr+DLmw)+10*(Bcm+Bim)
 *
 *   cycles      instructions/width + L1 x first-level misses + LL x last-level misses + branch x mispredicts; with an L2
 *               + L2 x its misses, and a part cycles.L2
 *               its parts: cycles.issue cycles.I1 cycles.D1 cycles.LL cycles.branch, whose sum it is
 *   CPI         cycles per instruction, and its parts: CPI.issue CPI.I1 CPI.D1 CPI.LL CPI.branch, whose sum it is
 *   AMAT        average memory access time, cycles per data reference: hit + (L1 x D1 misses + LL x LL misses) / references
 *
 * This is a rule of thumb, not what a processor needs: nothing overlaps, and every miss of a level costs the same.  It orders functions
 * and lines by what they may cost, and adds up misses of different kinds.  The usual values (width 1, L1 10, LL 100, branch 10) are
 * the cycle estimation CEst of KCachegrind (J. Weidendorfer, 2002); AMAT is that of Hennessy and Patterson.
 *
 * Invariants: events that a profile does not have cost nothing; a process has one timing, which all estimates use.
 */

#define QN_OUT_TIMING_L1 10
#define QN_OUT_TIMING_L2 30 /* an L3 hit is 38 to 48 cycles in I. Cutress's and A. Fog's tables of Skylake to Zen 4 */
#define QN_OUT_TIMING_LL 100
#define QN_OUT_TIMING_BRANCH 10

struct qn_out_timing {
    double width;  /* instructions per cycle where nothing misses */
    double hit;    /* cycles of a data reference that hits, for AMAT only */
    double L1, L2, LL; /* additional cycles of a miss of the first level, of an L2 between, and of the last level */
    double branch; /* additional cycles of a mispredict */
};

/* The timing of this process. */
const struct qn_out_timing *qn_out_timing(void);
/* Did the user give --timing?  Then tables have its columns by default. */
bool qn_out_timing_chosen(void);
/* "width=2,LL=200": what it does not name has its usual value.  NULL, or a message that says what is allowed. */
const char *qn_out_choose_timing(const char *text);

/* Writes "instructions + 10 x L1 misses + ...", for readers of a table.  text: `room` bytes. */
void qn_out_describe_timing(char *text, size_t room, const struct qn_prof_header *events);

/* Is it a sum over the run, of which a function or a line has a part: cycles, or a part of them? */
bool qn_out_timing_is_sum(const char *name);

/* weights[event]: estimated cycles of one.  false: the profile has none of the events that cost, and all weights are 0. */
bool qn_out_weigh(const struct qn_prof_header *events, double *weights);

/* The expression of the column `name`, to be freed.  NULL: no such column, or the profile has not the events. */
char *qn_out_write_timing(const char *name, const struct qn_prof_header *events);

#endif
