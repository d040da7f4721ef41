/*
 * Reads what Callgrind writes (its format, version 1) into rows by file, function and line.
 *
 * In:  events: Ir Dr            Out: header: descs, command "./prog", events {"Ir", "Dr"}
 *      fl=(1) a.c                    row a.c, main, 12: 3 1
 *      fn=(2) main                   row a.c, main, 14: 1 0
 *      12 3 1
 *      cfn=(3) f                     an edge of the tables of calls (calls.h): main, 14, f: 2 calls, 900 100
 *      calls=2 20
 *      +2 900 100
 *      * 1
 *      totals: 4 1
 *
 * Names may be compressed to numbers, positions may be relative; several parts of a run in one file are added up. Rows have self cost.
 * A function and its recursive activations, which Callgrind names f'2, are one function. Jumps are skipped.
 *
 * Invariants: in each part that has `totals:`, they are the sum of all costs; every error names FILE:LINE, what was
 * found and what was wanted.
 */
#ifndef QN_PROF_CALLGRIND_H
#define QN_PROF_CALLGRIND_H

#include "prof/table/table.h"
#include "prof/write.h"
#include "text/error.h"

struct qn_prof_callgrind;

/* Reads the file ("-": standard input). NULL with `err` filled on failure. */
struct qn_prof_callgrind *qn_prof_read_callgrind(const char *path, struct qn_text_error *err);
void qn_prof_free_callgrind(struct qn_prof_callgrind *c);

/* Writes it as a profile: descriptions, command, events, rows with their objects, summary. */
void qn_prof_write_callgrind(struct qn_prof_callgrind *c, struct qn_prof_writer *w);

/* ---- writes a profile in Callgrind's format (version 1), for KCachegrind, QCachegrind and callgrind_annotate ----
 *
 * In:  rows of main in a.c and a.h, an edge of the tables of calls (calls.h): main calls f in a.c:14
 * Out: fl=(1) a.c / fn=(1) main / 12 3 1 / cfn=(2) f / calls=2 20 / 14 900 100 / fi=(2) a.h / 7 5 0
 *
 * Rules: a function is one, whatever files its lines come from; code inlined into it ("leaf (inlined in main)") is self cost of the function,
 * with the file and line of the inlined code. Rows belong to functions of the tables as calls.h says.
 * The line of a callee (behind `calls=`) is the first line of its own file that has a cost, 0 if it is not known.
 * Without tables of calls the file has costs by line only.
 *
 * Invariants: the costs of all lines add up to `totals:`, which are those of the profile; positions are absolute.
 */

struct qn_prof_callgrind_head {
    const char *creator;   /* what wrote it, "quern 0.1" */
    unsigned part, thread; /* of the run, from 1; thread 0: not said */
    int pid;               /* 0: not said */
};

enum qn_text_status qn_prof_export_callgrind(const char *path, const struct qn_prof_callgrind_head *head, struct qn_prof_writer *w, struct qn_text_error *err);

#endif
