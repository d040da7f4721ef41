/* sim/hosted/parts_file.h - the parts of a trace in its file: heads, payloads, the index (sim/parts.h). */
#ifndef QN_SIM_HOSTED_PARTS_FILE_H
#define QN_SIM_HOSTED_PARTS_FILE_H

#include "sim/hosted/bytes.h"
#include "sim/parts.h"

struct parts_file {
    struct bytes *from;
    uint64_t offset;       /* of the next byte */
    struct part_head head; /* of the part read last */
    uint64_t head_offset;
    uint8_t *payload;      /* unpacked: head.bytes of them */
    char error[600];
};

/* The next part's head.  false: error says why. */
bool parts_file_head(struct parts_file *f);
/* Its payload: unpacked, and its sum is right. */
bool parts_file_payload(struct parts_file *f);
/* Behind the index: its end, and nothing else. */
bool parts_file_end(struct parts_file *f);
/* The index of a file that can be read anywhere; n places, to be freed.  NULL: there is none, and reading goes on where it was. */
struct part_entry *parts_file_index(struct parts_file *f, uint64_t *n);
bool parts_file_go(struct parts_file *f, uint64_t offset);

#endif
