/* lib/trace/parts.h - measures a trace of quern's own format (sim/record.h) by the heads of its parts, and ends one that was cut off.
 *
 *   qn_trace_measure_parts(fd, &facts)     instructions, references, bytes; whether the trace has its end
 *   qn_trace_end_parts(fd, &facts)         cuts off a part that is not whole; writes the index and the end mark, unless they are there
 */
#ifndef QN_TRACE_PARTS_H
#define QN_TRACE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct qn_trace_facts {
    uint64_t parts, instructions, references; /* whole parts, the index not counted; what they hold */
    uint64_t bytes;                           /* of the file */
    uint64_t whole;                           /* bytes from the file's beginning to the end of these parts */
    uint8_t packing;                          /* of the last part, enum part_packing */
    bool ended;                               /* the index and the end mark are there */
    bool cut;                                 /* ... are not, because the file ends before */
    char wrong[160];                          /* if not ended: at which byte, and what it is */
};

/* false: it cannot be read (errno), or is no such trace (errno 0). */
bool qn_trace_measure_parts(int fd, struct qn_trace_facts *facts);
/* The same; also false if it is damaged, and then the file is unchanged (errno 0): what is behind the damage would be lost. */
bool qn_trace_end_parts(int fd, struct qn_trace_facts *facts);

#endif
