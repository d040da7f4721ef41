/*
 * A table by function: one row each, whatever files its lines come from.
 *
 * In:  lines of main in a.c and, inlined, in vector.h, both in object /bin/prog
 * Out: one row of main: object /bin/prog, file a.c (where most of it was counted), line 0, the sum
 *
 * Rules: a function is a name in an object; one whose name is not known is one for each file. Of its files the one counts that has most of
 * the first event, then the first by name. What is inlined is one function for each that has its code, whatever calls are between (inlined.h).
 */
#ifndef QN_PROF_FUNCTIONS_H
#define QN_PROF_FUNCTIONS_H

#include "prof/table.h"

/* A new, sorted table from a sorted one; its instructions are left out. NULL with `err` filled: no memory, or a sum beyond 64 bits. */
struct qn_prof_table *qn_prof_sum_functions(struct qn_prof_table *t, int events, struct qn_text_error *err);

#endif
