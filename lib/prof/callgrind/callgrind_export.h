/*
 * Writes a profile in Callgrind's format (version 1), for KCachegrind, QCachegrind and callgrind_annotate.
 *
 * In:  rows of main in a.c and a.h, an edge of the tables of calls (calls.h): main calls f in a.c:14
 * Out: fl=(1) a.c / fn=(1) main / 12 3 1 / cfn=(2) f / calls=2 20 / 14 900 100 / fi=(2) a.h / 7 5 0
 *
 * Rules: a function is one, whatever files its lines come from; code inlined into it ("leaf (inlined in main)") is self cost of the function,
 * with the file and line of the inlined code. Rows belong to functions of the tables as calls_owner.h says.
 * The line of a callee (behind `calls=`) is the first line of its own file that has a cost, 0 if it is not known.
 * Without tables of calls the file has costs by line only.
 *
 * Invariants: the costs of all lines add up to `totals:`, which are those of the profile; positions are absolute.
 */
#ifndef QN_PROF_CALLGRIND_EXPORT_H
#define QN_PROF_CALLGRIND_EXPORT_H

#include "prof/write.h"
#include "text/error.h"

struct qn_prof_callgrind_head {
    const char *creator;   /* what wrote it, "quern 0.1" */
    unsigned part, thread; /* of the run, from 1; thread 0: not said */
    int pid;               /* 0: not said */
};

enum qn_text_status qn_prof_export_callgrind(const char *path, const struct qn_prof_callgrind_head *head, struct qn_prof_writer *w, struct qn_text_error *err);

#endif
