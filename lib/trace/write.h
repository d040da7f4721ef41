/* lib/trace/write.h - quern's own trace (sim/parts.h) out of what a recorder writes down (sim/contract.h).
 *
 *   struct qn_trace_writer *w = qn_trace_open_writer(file, QN_TRACE_ZSTD, 0, UINT64_MAX);
 *   qn_trace_write(w, words, n); ... good = qn_trace_close_writer(w, true, &counts);
 */
#ifndef QN_TRACE_WRITE_H
#define QN_TRACE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/contract.h"
#include "trace/pack.h"

struct qn_trace_writer;

struct qn_trace_counts {
    uint64_t instructions, references, bytes; /* references: fetches and those to data; bytes: of the file */
    const char *bug;                          /* the recorder's words make no sense; NULL: they do */
    bool whole;                               /* the file has its end, perhaps before something that could not be written */
};

/* Only of instructions `from` to from + count - 1.  The file gets its beginning.  NULL: no memory. */
struct qn_trace_writer *qn_trace_open_writer(FILE *to, enum qn_trace_packing how, uint64_t from, uint64_t count);

/* false: it could not be written (errno), or makes no sense; later ones are not looked at. */
bool qn_trace_write(struct qn_trace_writer *w, const struct qn_log_entry *words, size_t n);

/* What is left, the index and the end; frees w.  A block whose end is not there is left out.  false: not all could be written (errno), or
 * counts->bug.  What could is a whole trace then (counts->whole), as far as counts says; if there was no room for an end either, so much
 * lies in the file without one, for qn_trace_end_parts; instructions 0: nothing. */
bool qn_trace_close_writer(struct qn_trace_writer *w, struct qn_trace_counts *counts);

#endif
