/* tools/trace/trace_deliver.h - `quern trace`: makes the output from what the writer has, the whole trace or the part that could be written.
 *
 *   status = trace_deliver_blocks(writer, begun, &output, status)
 */
#ifndef QN_TOOLS_TRACE_DELIVER_H
#define QN_TOOLS_TRACE_DELIVER_H

#include <stdbool.h>

#include "text/output.h"
#include "trace/write.h"

/* Closes writer and output.  begun: the program was recorded at all.  status: of the program; returned, or 1 if that is 0 and not all could be
 * written: then a line was printed. */
int trace_deliver_blocks(struct qn_trace_writer *w, bool begun, struct qn_text_output *o, int status);

#endif
