/* lib/trace/records.h - the records of a trace that lie in memory (sim/record.h has the format).
 *
 *   struct qn_trace_records r = { bytes, bytes + size };
 *   while (qn_trace_next_record(&r, &ref)) ...
 */
#ifndef QN_TRACE_RECORDS_H
#define QN_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/record.h"

struct qn_trace_records {
    const uint8_t *at, *end; /* behind the magic; the end of what is mapped */
    uint64_t last[RECORD_KINDS];
};

struct qn_trace_record {
    uint8_t kind, code;  /* enum record_kind; see sim/record.h */
    uint64_t addr, target; /* target: of INDIRECT and STACK */
    const uint8_t *bytes; /* of RECORD_STACK with RECORD_CODE: the instruction, `size` bytes */
    uint32_t size;
};

/* false: the records are at their end. */
bool qn_trace_next_record(struct qn_trace_records *r, struct qn_trace_record *ref);

/* Gives the records in a file, which begin behind its magic, the end that a reader wants.  false: errno says why not. */
bool qn_trace_end_records(int fd, size_t size);

#endif
