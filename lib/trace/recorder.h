/* lib/trace/recorder.h - the reader's side of sim/ring.h: a thread that gives the words of a recorder to a writer.
 *
 *   struct qn_trace_recorder *r = qn_trace_open_recorder(writer);
 *   the program inherits qn_trace_recorder_fds(r)[0], the memory, and [1], the socket; it comes to its end
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

/* What is in the ring is written still.  *begun: anything was; false: the writer said so. */
bool qn_trace_close_recorder(struct qn_trace_recorder *r, bool *begun);

#endif
