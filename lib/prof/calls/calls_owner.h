/*
 * Assigns each row of a profile to a function of the tables of calls.
 *
 * In:  rows of main in a.c and in a.h, of "leaf (inlined in main)" in leaf.h; tables with main in a.c
 * Out: function 0 for all of them
 *
 * Rules: a row belongs to the function that has its object, file and name; else to one with its object and name (the row is of
 * code from another file). If the object of the row or of the function is not known, file and name decide, then the name. Inlined code belongs to
 * the function that it is inlined in. A function that the tables do not have is added; its file is the one in which it has most of the first event.
 */
#ifndef QN_PROF_CALLS_OWNER_H
#define QN_PROF_CALLS_OWNER_H

#include "prof/calls/calls.h"

struct qn_prof_table;

/* An array by row of the table, in its order; free() it. Tables that were never begun (no profile with calls) get functions, too. */
uint32_t *qn_prof_own_rows(const struct qn_prof_table *t, struct qn_prof_calls *calls);

#endif
