/* lib/trace/format.h - quern's trace format, in parts: encode.c and write.c write it, parts.c reads it; and what the files that read traces share.
 *
 *   "QNTRACE3"   parts   the last part: the index   16 bytes: where that begins (8 bytes), "QNTREND3"
 *
 * All numbers are little-endian.  A part is a head of 48 bytes (struct part_head) and its payload, compressed by zstd or xz or not at all.
 * The CRC-32 (IEEE 802.3) of the payload as it lies in the file stands in the head, and that of the head's first 44 bytes behind it.
 *
 * A varint has 7 bits per byte, low bits first, and the high bit set in all but its last byte.  Zigzag puts the sign into bit 0.
 *
 * Definitions of blocks, numbered from 1 on through the whole file:
 *   zigzag varint   address, less that of the block before
 *   varint          number of items
 *   items           a byte: kind | size << 4; size 15 means that a varint with the size follows
 *
 * Code, if it is recorded (for ChampSim), behind the definitions of these blocks: varints, the block's number and how many bytes; the bytes from
 * the block's address on.
 *
 * References: two varints, the bytes of the control stream and of the heads; these; the data stream.  Nothing is remembered from the
 * part before.
 *   control   how it goes on from a block (from 0 at first): 0 as last time, 1 as the time before that, 2 another way: a byte of flags
 *             (1: its branch was taken, 2: the target of its indirect branch or return follows; otherwise it is where the next block
 *             begins), a varint, the next block, and the target, zigzag, less the block's own address.  A way to block 0 leads to a
 *             group.  An open item is a group, too.  A way whose target follows is as it was before but for the target
 *   group     records: a byte kind + 1; varint size if it is a reference, flags if it is a conditional branch, number if it is MORE (no more); CORE: core, thread (from here on; 0 and 0 at first; no more);
 *             zigzag address less that of the last record of this kind in a group; for indirect branches, calls and returns a zigzag
 *             varint, target less address.  A byte 0 ends it
 *   heads     for each reference of a block a byte: 0 if it is where its item's last address and the step to it lead (at first: where
 *             the reference before was), 9 if it lies as far from the reference before as last time, else the bytes of
 *   data      zigzag of how far it lies from the first of these, as many as its head says, low ones first
 *
 * So a loop over an array costs a few zeros for each iteration, which zstd compresses to almost nothing. */
#ifndef QN_TRACE_FORMAT_H
#define QN_TRACE_FORMAT_H

#include <stdio.h>

#include "base/base.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "trace/trace.h"

#define PARTS_MAGIC "QNTRACE3"
#define PARTS_END "QNTREND3"
#define PARTS_MAGIC_BYTES 8
#define PARTS_MAGIC_SAME 7 /* bytes that are the same in all versions */
#define PARTS_TRAILER_BYTES 16
#define PART_MARK 0x50544e51u /* "QNTP" */
#define PART_BYTES_MAX (64u << 20) /* of a payload, not compressed */

enum part_kind { PART_DEFINITIONS = 1, PART_REFERENCES, PART_INDEX, PART_CODE };
enum part_packing { PART_PLAIN, PART_ZSTD, PART_XZ };

struct part_head {
    uint32_t mark;
    uint8_t kind, packing;
    uint16_t zero;
    uint32_t bytes, packed;       /* of the payload; as it lies in the file */
    uint64_t first, instructions; /* number of the first; how many; of definitions and the index: of the trace until there, 0 */
    uint64_t references;          /* fetches and references to data */
    uint32_t payload_crc, crc;
};

struct part_entry { /* of the index, one for each part before it */
    uint64_t offset, first;
    uint32_t kind, zero;
};

_Static_assert(sizeof(struct part_head) == 48 && sizeof(struct part_entry) == 24, "the format");

enum { WAY_LAST, WAY_BEFORE, WAY_OTHER };
enum { WAY_TAKEN = 1, WAY_TARGET = 2 };
enum { DATA_AS_STEP = 0, DATA_BYTES_MAX = 8, DATA_AS_BEFORE };
#define ITEM_SIZE_FOLLOWS 15u

static inline uint64_t zigzag(uint64_t delta) { return delta << 1 ^ (0 - (delta >> 63)); }
static inline uint64_t unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

/* ---- what both sides remember ---- */

/* A way: the number of the block, flags << 32. */
#define WAY_NONE UINT32_MAX
static inline uint64_t way_to(uint32_t next, unsigned flags) { return next | (uint64_t)flags << 32; }
static inline uint32_t way_next(uint64_t way) { return (uint32_t)way; }
static inline unsigned way_flags(uint64_t way) { return (unsigned)(way >> 32); }

struct item_site { /* of a reference to data */
    uint64_t last, step, off;
};

struct part_block {
    uint64_t pc;
    const struct qn_item *item;
    const uint8_t *code;       /* NULL: not recorded, or not readable */
    uint32_t n, sites;         /* items; index of the first site */
    uint16_t references, opens; /* numbers of items: data references, whose address is recorded; open items */
    uint16_t instructions, words; /* words: of addresses behind the block's (sim/contract.h); as many as can be: it has open items, or is none */
    uint8_t branch;            /* it ends in a branch whose outcome is recorded: 1 conditional, 2 indirect */
    uint32_t generation;       /* of the predictions */
    uint64_t way[2];
};

/* Where the next reference is expected; the first time, near the one before. */
static inline uint64_t site_expects(const struct item_site *s, uint64_t before) { return s->last ? s->last + s->step : before; }

static inline void site_learn(struct item_site *s, uint64_t addr, uint64_t before)
{
    s->step = s->last ? addr - s->last : 0;
    s->off = addr - before;
    s->last = addr;
}

/* Items of a definition, counted. */
static inline void part_block_count(struct part_block *b)
{
    b->references = b->opens = b->instructions = 0;
    b->branch = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        b->references += b->item[i].kind <= QN_ITEM_MODIFY;
        b->opens += b->item[i].kind == QN_ITEM_OPEN;
        b->instructions += b->item[i].kind == QN_ITEM_FETCH;
        b->branch |= b->item[i].kind == QN_ITEM_COND ? 1 : b->item[i].kind == QN_ITEM_INDIRECT || b->item[i].kind == QN_ITEM_RETURN ? 2 : 0;
    }
    b->words = b->opens ? UINT16_MAX : (uint16_t)(b->references + (b->branch == 2));
}

static inline void part_block_begin(struct part_block *b, struct item_site *sites, uint32_t generation)
{
    if (b->generation == generation)
        return;
    b->generation = generation;
    b->way[0] = b->way[1] = way_to(WAY_NONE, 0);
    for (uint32_t i = 0; i < b->references; i++)
        sites[b->sites + i] = (struct item_site){0};
}

/* ---- between the files that read traces: read.c (bytes, texts, which format it is), parts.c, champsim_read.c ---- */

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

/* ChampSim's records: see champsim_read.c. */
struct champsim;

/* Bytes of a record, 64 or 72, if what begins here is such a trace; else 0. */
unsigned champsim_record_bytes(const unsigned char *bytes, size_t n);

struct champsim *champsim_open(unsigned record_bytes); /* NULL: no memory */
/* 1: *ref; 0: the end; -1: the last record is not whole. */
uint64_t champsim_records(const struct champsim *c); /* read so far, one more than those of which references came */
int champsim_next(struct champsim *c, struct bytes *from, struct sim_ref *ref);
uint64_t champsim_take_more(struct champsim *c); /* as qn_trace_take_more: records of further steps of a string instruction have no fetch */

/* quern's own format (format.h): see parts.c. */
struct parts;

/* The file is read from behind the magic on.  NULL: no memory. */
struct parts *parts_open(struct bytes *from);
void parts_close(struct parts *p);

/* 1: *ref is the next reference; 0: the end of a complete trace; -1: an error, see parts_error. */
int parts_next(struct parts *p, struct sim_ref *ref);
const char *parts_error(const struct parts *p);

/* The number of instructions without a fetch in the records since the last call. */
uint64_t parts_take_more(struct parts *p);
uint32_t parts_core(const struct parts *p, uint32_t *thread);

/* As qn_trace_code. */
const uint8_t *parts_code(const struct parts *p, uint64_t pc, bool search, size_t *n);

/* Continues at the last part that begins at instruction n or before, if there is an index.  Returns the part's first instruction. */
uint64_t parts_seek(struct parts *p, uint64_t n);

/* qn_trace_measure_parts; *entry: a new list of the parts before the index, n of them. */
bool parts_measure(int fd, struct qn_trace_facts *facts, struct part_entry **entry, uint32_t *n);

#endif
