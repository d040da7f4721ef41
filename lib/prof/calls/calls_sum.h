/*
 * Tables of calls of several profiles, added up or subtracted.
 *
 * In:  a.out (or its counts negated), b.out; names changed by s/old/new/
 * Out: one set of tables: each function, edge, path of calls once
 *
 * Rules: tables that not all profiles have are left out, and `left_out` says so, because a sum of some would look like that of all. Calls of
 * a region are not known, and those of standard input cannot be read a second time.
 */
#ifndef QN_PROF_CALLS_SUM_H
#define QN_PROF_CALLS_SUM_H

#include "prof/calls/calls_index.h"
#include "text/subst.h"

struct qn_prof_call_sum {
    const struct qn_text_subst *mod_file, *mod_fn; /* or NULL: set before the first is added */
    struct qn_prof_calls calls;
    struct qn_prof_call_index index;
    int inputs, with_calls, with_nodes; /* profiles; how many of them have such tables */
    const char *of_region;              /* if a region was chosen: the first profile that has calls */
    const char *without_calls, *without_nodes; /* the first profile without such tables */
};

/* Zero the struct, then add. */
enum qn_text_status qn_prof_sum_calls(struct qn_prof_call_sum *s, const char *path, int negate, struct qn_text_error *err);

/* Call this when all are added: drops tables that not all have. `left_out`, of `room` bytes, becomes empty, or says what was left out and why. */
void qn_prof_finish_call_sum(struct qn_prof_call_sum *s, char *left_out, size_t room);

void qn_prof_free_call_sum(struct qn_prof_call_sum *s);

#endif
