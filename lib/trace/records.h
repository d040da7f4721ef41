/* lib/trace/records.h - reads the records of a trace in memory (sim/record.h has the format).
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
    const uint8_t *at, *end; /* the next record, at first the one behind the magic; the end of the memory */
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

/* Writes the end mark and the checksum behind the last whole record of a file of `size` bytes, and cuts off the rest.  false: errno. */
bool qn_trace_end_records(int fd, size_t size);

#endif
