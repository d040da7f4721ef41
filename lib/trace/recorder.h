/* lib/trace/recorder.h - the reader of the ring (sim/record.h): a thread that hands the recorder's words to a trace writer.
 *
 *   struct qn_trace_recorder *r = qn_trace_open_recorder(writer);
 *   start the program, which inherits qn_trace_recorder_fds(r)[0], the memory, and [1], the socket; wait for its end
 *   good = qn_trace_close_recorder(r, &begun);
 */
#ifndef QN_TRACE_RECORDER_H
#define QN_TRACE_RECORDER_H

#include <stdbool.h>

#include "trace/write.h"

struct qn_trace_recorder;

/* NULL: errno says why not. */
struct qn_trace_recorder *qn_trace_open_recorder(struct qn_trace_writer *to);
const int *qn_trace_recorder_fds(const struct qn_trace_recorder *r);

/* Writes what is left in the ring, ends the thread and frees r.  *begun: the program recorded something.  false: the writer failed. */
bool qn_trace_close_recorder(struct qn_trace_recorder *r, bool *begun);

#endif
