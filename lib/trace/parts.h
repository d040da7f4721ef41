/* lib/trace/parts.h - quern's own trace (sim/parts.h) by the heads of its parts: how much there is, and an end for one that has none.
 *
 *   qn_trace_measure_parts(fd, &facts)     instructions, references, bytes; whole or not
 *   qn_trace_end_parts(fd)                 what is not a whole part goes; index and end are written
 */
#ifndef QN_TRACE_PARTS_H
#define QN_TRACE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct qn_trace_facts {
    uint64_t parts, instructions, references; /* that are whole */
    uint64_t bytes;                           /* of the file */
    uint64_t whole;                           /* bytes of these parts, and what is before them */
    uint8_t packing;                          /* of the last part, enum part_packing */
    bool ended;                               /* the index and the mark of the end are there */
};

/* false: it cannot be read (errno), or is no such trace (errno 0). */
bool qn_trace_measure_parts(int fd, struct qn_trace_facts *facts);
bool qn_trace_end_parts(int fd);

#endif
