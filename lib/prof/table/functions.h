/*
 * Makes a table by function: one row for each function, whatever files its lines come from.
 *
 * In:  lines of main in a.c and, inlined, in vector.h, both in object /bin/prog
 * Out: one row of main: object /bin/prog, file a.c (where most of it was counted), line 0, the sum
 *
 * Rules: a function is a name in an object; code without a known name is one function for each file. The function's file is the one with most
 * of the first event, of equals the first by name. An inlined function is one row for each function that it is inlined in, whatever calls are
 * between.
 */
#ifndef QN_PROF_FUNCTIONS_H
#define QN_PROF_FUNCTIONS_H

#include "prof/table/table.h"
#include "text/subst.h"

/* A new, sorted table from a sorted one; its instructions are left out. NULL with `err` filled: a sum beyond 64 bits. */
struct qn_prof_table *qn_prof_sum_functions(struct qn_prof_table *t, int events, struct qn_text_error *err);

/* ---- names of inlined functions, as `quern run --inline=yes` and `--inline=chains` write them ----
 *
 * In:  "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)"
 * Out: "leaf (inlined in main)"
 */

/* Puts the short form of a name (n bytes) into *out: the function, and the one that it is inlined in.  A name without a chain stays as it is. */
void qn_prof_shorten_inlined(const char *name, size_t n, struct qn_text_buffer *out);

/* Puts the name of the function that it is inlined in into *out: "main" for "leaf (inlined in main)"; other names as they are. */
void qn_prof_inlined_into(const char *name, size_t n, struct qn_text_buffer *out);

#endif
