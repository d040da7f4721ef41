/* lib/trace/write.h - makes quern's own trace (sim/record.h) of a recorder's words (sim/contract.h).
 *
 *   struct qn_trace_writer *w = qn_trace_open_writer(file, QN_TRACE_ZSTD, 0, UINT64_MAX);
 *   qn_trace_write(w, words, n); ... good = qn_trace_close_writer(w, &counts);
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
    const char *bug;                          /* what is wrong with the recorder's words; NULL: nothing */
    bool whole;                               /* the file has its end mark; the last parts may be missing, if they could not be written */
};

/* Writes the beginning of the file.  Only instructions `from` to from + count - 1 will be recorded.  NULL: no memory. */
struct qn_trace_writer *qn_trace_open_writer(FILE *to, enum qn_trace_packing how, uint64_t from, uint64_t count);

/* false: the file cannot be written, or the words make no sense, now or in an earlier call; qn_trace_close_writer says which. */
bool qn_trace_write(struct qn_trace_writer *w, const struct qn_log_entry *words, size_t n);

/* Writes the rest, the index and the end mark; frees w.  A block whose words are not all there is left out.  false: counts->bug, or errno
 * if not all could be written.  Then, if counts->whole, the file is a whole trace of what `counts` says.  If there was no room for an end
 * either, the file holds as much without one, which qn_trace_end_parts can end; instructions 0: it holds nothing. */
bool qn_trace_close_writer(struct qn_trace_writer *w, struct qn_trace_counts *counts);

#endif
