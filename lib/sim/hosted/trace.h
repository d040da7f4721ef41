/* sim/hosted/trace.h - reading recorded references.
 *
 *   lackey text     I  04001000,3      L 1ffe,8      S 1ffe,8      M 1ffe,8
 *   Dinero .din     2 4001000          0 1ffe        1 1ffe        (4 bytes each)
 *   extended .xdin  i 4001000 3        r 1ffe 8      w 1ffe 8      (hexadecimal)
 *   quern's own     see sim/record.h, and for the form before it sim/record.h
 *   ChampSim        see champsim.c
 *
 * The format is detected from the content; for text, from the first line that is a reference.
 */
#ifndef QN_SIM_HOSTED_TRACE_H
#define QN_SIM_HOSTED_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/module.h"

struct trace;

/* NULL: `why` says what is wrong. */
struct trace *trace_open(const char *path, char *why, unsigned why_size);

/* Skips instructions before n, as far as the format allows it without reading them.  Returns the number of the next instruction.  Call it
 * before the first reference is read. */
uint64_t trace_seek(struct trace *t, uint64_t n);

/* The number of instructions without a fetch (repetitions of string instructions) before the last reference, or before the end, that have not been
 * returned yet. */
uint64_t trace_take_more(struct trace *t);

/* 1: *ref is the next one; 0: the end; -1: trace_error says FILE:LINE: what.  outcome holds SIM_TAKEN for branches. */
int trace_next(struct trace *t, struct sim_ref *ref);
const char *trace_error(const struct trace *t);
void trace_close(struct trace *t);

/* ---- between the files that read traces ---- */

/* Reads the bytes of a trace file; decompresses zstd and xz. */
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

/* ChampSim's records: see champsim.c. */
struct champsim;

/* Bytes of a record, 64 or 72, if what begins here is such a trace; else 0. */
unsigned champsim_record_bytes(const unsigned char *bytes, size_t n);

struct champsim *champsim_open(unsigned record_bytes); /* NULL: no memory */
/* 1: *ref; 0: the end; -1: the last record is not whole. */
uint64_t champsim_records(const struct champsim *c); /* read so far, one more than those of which references came */
int champsim_next(struct champsim *c, struct bytes *from, struct sim_ref *ref);
uint64_t champsim_take_more(struct champsim *c); /* as trace_take_more: records of further steps of a string instruction have no fetch */

/* quern's trace format, third version (sim/record.h): see parts.c. */
struct parts;

/* The file is read from behind the magic on.  NULL: no memory. */
struct parts *parts_open(struct bytes *from);
void parts_close(struct parts *p);

/* 1: *ref is the next reference; 0: the end of a complete trace; -1: an error, see parts_error. */
int parts_next(struct parts *p, struct sim_ref *ref);
const char *parts_error(const struct parts *p);

/* The number of instructions without a fetch in the records since the last call. */
uint64_t parts_take_more(struct parts *p);

/* Continues at the last part that begins at instruction n or before, if there is an index.  Returns the part's first instruction. */
uint64_t parts_seek(struct parts *p, uint64_t n);

#endif
