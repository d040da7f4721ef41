/* sim/hosted/bytes.h - reads the bytes of a trace file; decompresses zstd and xz. */
#ifndef QN_SIM_HOSTED_BYTES_H
#define QN_SIM_HOSTED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BYTES_BUFFER 65536

struct bytes {
    FILE *file;
    const char *path;
    uint64_t read;  /* bytes of the file */
    unsigned char in[BYTES_BUFFER], out[BYTES_BUFFER];
    size_t at, have; /* in out */
    void *zstd, *xz; /* what unpacks, NULL: nothing does */
    size_t in_at, in_have; /* in in */
    bool in_frame;  /* the compressed text has not come to its end */
    char error[512];
};

/* The file is open and at its beginning; then out[at .. have) is what there is at first.  NULL, or what is wrong. */
const char *bytes_begin(struct bytes *b);

bool bytes_refill(struct bytes *b);
void bytes_end(struct bytes *b);

static inline int bytes_get(struct bytes *b) { return b->at < b->have || bytes_refill(b) ? b->out[b->at++] : EOF; }

#endif
