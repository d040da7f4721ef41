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

#endif
