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
 *   misses, BMPKI: mispredictions.
 *
 * Estimated time, out/timing.h: cycles, cycles.issue and its other parts, CPI and its parts, AMAT. With --timing, and without --show, cycles,
 * CPI and AMAT come behind the events. Rows can be sorted by cycles and their parts, because these add up as events do.
 *
 * Invariant: an event of the profile goes before a ratio of the same name.
 */
#ifndef QN_OUT_COLUMNS_H
#define QN_OUT_COLUMNS_H

#include "out/expr.h"
#include "prof/read.h"

struct qn_out_column {
    char *name;
    int event;                /* -1: an expression */
    struct qn_out_expr *expr; /* NULL: an event */
    int is_percent;           /* the expression's name ends in % */
    int is_cycles;            /* estimated cycles: a count */
};

/* A key by which rows are sorted, and compared with a threshold. */
struct qn_out_key {
    char *name;
    int event;                /* -1: estimated cycles, or a part of them */
    struct qn_out_expr *expr; /* NULL: an event */
};

struct qn_out_columns {
    struct qn_out_column *shown;
    int shown_count;
    struct qn_out_key *sort; /* the first is primary */
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
/* The same for events of which some are not available; these have the name "". show NULL: all others except `hidden` (-1: none). */
enum qn_text_status qn_out_choose_told_columns(struct qn_out_columns *c, const struct qn_prof_header *events, int hidden, const char *show,
                                               const char *sort, struct qn_text_error *err);
/* The key's value in a row, and its absolute value. */
double qn_out_key_value(const struct qn_out_key *k, const int64_t *counts);
double qn_out_key_weight(const struct qn_out_key *k, const int64_t *counts);
/* Order of two rows by the absolute counts of the sort events, largest first: negative where a comes first. */
int qn_out_compare_counts(const struct qn_out_columns *c, const int64_t *a, const int64_t *b);
void qn_out_free_columns(struct qn_out_columns *c);

#endif
