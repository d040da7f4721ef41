/*
 * Estimated time: cycles out of counts, as a student would work them out by hand.
 *
 * In:  --timing=width=2,LL=200 and the events of a profile
 * Out: the expression behind a column:  cycles = Ir/2+10*(I1mr+D1mr+D1mw)+200*(ILmr+DLmr+DLmw)+10*(Bcm+Bim)
 *
 *   cycles      instructions/width + L1 x first-level misses + LL x last-level misses + branch x mispredicts
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
#ifndef QN_OUT_TIMING_H
#define QN_OUT_TIMING_H

#include <stdbool.h>

#include "prof/read.h"

#define QN_OUT_TIMING_L1 10
#define QN_OUT_TIMING_LL 100
#define QN_OUT_TIMING_BRANCH 10

struct qn_out_timing {
    double width;  /* instructions per cycle where nothing misses */
    double hit;    /* cycles of a data reference that hits, for AMAT only */
    double L1, LL; /* additional cycles of a miss of the first and of the last level */
    double branch; /* additional cycles of a mispredict */
};

/* The timing of this process. */
const struct qn_out_timing *qn_out_timing(void);
/* Did the user give --timing?  Then tables have its columns by default. */
bool qn_out_timing_chosen(void);
/* "width=2,LL=200": what it does not name has its usual value.  NULL, or a message that says what is allowed. */
const char *qn_out_choose_timing(const char *text);

/* Writes "instructions/1 + 10 x L1 misses + ...", for readers of a table.  text: `room` bytes. */
void qn_out_describe_timing(char *text, size_t room);

/* Is it a sum over the run, of which a function or a line has a part: cycles, or a part of them? */
bool qn_out_timing_is_sum(const char *name);

/* The expression of the column `name`, to be freed.  NULL: no such column, or the profile has not the events. */
char *qn_out_write_timing(const char *name, const struct qn_prof_header *events);

#endif
