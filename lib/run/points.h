/* lib/run/points.h - see points.c. */
#ifndef QN_RUN_POINTS_H
#define QN_RUN_POINTS_H

#include "base/base.h"

/* Code at pc is about to be translated: find out what the user has named there. */
void qn_points_learn(uint64_t pc);

/* Of the lines that are explained, which is the instruction's, from 1; 0: none. */
unsigned qn_points_explain(uint64_t pc);

/* Does a function of --toggle begin here? */
bool qn_points_toggle(uint64_t pc);

#endif
