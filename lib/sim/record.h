/* lib/sim/record.h - the formats of recorded references: in the ring between the recorded program and `quern trace`, and in files.
 *
 *   analysis/record.c  -> ring  -> lib/trace, which writes the third format  -> hosted/parts.c
 *   analysis/record.c  -> second format (QNTRACE2); tools/trace.c ends it  -> hosted/trace.c
 */
#ifndef QN_SIM_RECORD_H
#define QN_SIM_RECORD_H

#include "base/base.h"
#include "sim/contract.h"

/* ---- a ring of words in shared memory, from the recorded program to `quern trace` ----
 *
 *   recorder   words[head % RING_WORDS] = ... ; head += n ;  if the reader sleeps: a byte through the socket
 *   reader     words[tail % RING_WORDS] ...   ; tail += n ;  if the recorder waits: a byte back
 *
 * head and tail only grow.  Each side sets its flag (reader_sleeps, recorder_waits) before it checks the ring for the last time, so
 * no wake-up is lost.  If the reader ends, the waiting recorder reads the end of the socket.  A reader that cannot write its output
 * sets `refused` before it ends, and the recorder stops the program. */

#define RING_WORDS (1u << 17)
#define RING_OFFSET 4096u /* of the words */
#define RING_BYTES (RING_OFFSET + RING_WORDS * sizeof(struct qn_log_entry))

struct ring {
    uint64_t head __attribute__((aligned(64))), reader_sleeps;
    uint64_t tail __attribute__((aligned(64))), recorder_waits, refused; /* in one line, because the recorder reads tail anyway */
};

static inline struct qn_log_entry *ring_words(struct ring *r) { return (struct qn_log_entry *)((uint8_t *)r + RING_OFFSET); }

#define RING_LOAD(field) __atomic_load_n(&(field), __ATOMIC_SEQ_CST)
#define RING_STORE(field, value) __atomic_store_n(&(field), value, __ATOMIC_SEQ_CST)
#define RING_TAKE(field) __atomic_exchange_n(&(field), 0, __ATOMIC_SEQ_CST) /* the old value; sets it to 0 */

/* ---- the second format ----
 *
 *   "QNTRACE2"  then for each reference
 *     1 byte       kind (3 bits) | code << 3
 *     varint       zigzag of the address less the last address of this kind
 *   fetch, read, write, modify: code = bytes, 1 to 31; 0: a varint with the bytes stands before that of the address
 *   conditional: code bit 0 taken, bit 1 the target lies below;   indirect: a varint, zigzag of target less address, follows
 *   stack: code 0 a call, 1 a return; then as for indirect, where the target of a call is its return address
 *   stack, code 2 (with --sim-opt=record-code=1 only): no address; a varint n and n bytes: the instruction of the next fetch
 *   kind 0 ends the records; then three little-endian numbers of 8 bytes, struct record_sum of the records; then the file ends
 *
 * A varint has 7 bits per byte, low bits first, and the high bit set in all but its last byte.  The whole file may be compressed.
 * While the program runs, zeros follow the records, and the first byte of a record is written last.  So if the program is killed at
 * any point, all records before that are complete, and kind 0 follows them. */

#define RECORD_MAGIC "QNTRACE2"
#define RECORD_MAGIC_BYTES 8
#define RECORD_MAGIC_SAME 7    /* bytes that are the same in all versions */
#define RECORD_TRAILER_BYTES 25 /* kind 0, and the sum */
#define RECORD_BYTES_MAX 32 /* of one record */
#define RECORD_CODE 2       /* code of RECORD_STACK: bytes of an instruction */
#define RECORD_CODE_MAX 15  /* of them */

enum record_kind { RECORD_END, RECORD_FETCH, RECORD_READ, RECORD_WRITE, RECORD_MODIFY, RECORD_COND, RECORD_INDIRECT,
                   RECORD_STACK, RECORD_KINDS };

static inline uint64_t record_zigzag(uint64_t delta) { return delta << 1 ^ (0 - (delta >> 63)); }
static inline uint64_t record_unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

/* A checksum of the records, modulo 2^64: the number of bytes, their sum, and the sum of the partial sums, which depends on their
 * order.  Source:
 * J. G. Fletcher, An arithmetic checksum for serial transmissions, IEEE Transactions on Communications 30(1), 1982. */
struct record_sum {
    uint64_t bytes, sum, sums;
};

static inline void record_add(struct record_sum *s, uint8_t byte)
{
    s->bytes++;
    s->sum += byte;
    s->sums += s->sum;
}

/* ---- the third format, in parts ----
 *
 *   "QNTRACE3"   parts   the last part: the index   16 bytes: where that begins (8 bytes), "QNTREND3"
 *
 * All numbers are little-endian.  A part is a head of 48 bytes (struct part_head) and its payload, compressed by zstd or xz or not at all.
 * The CRC-32 (IEEE 802.3) of the payload as it lies in the file stands in the head, and that of the head's first 44 bytes behind it.
 *
 * Definitions of blocks, numbered from 1 on through the whole file:
 *   zigzag varint   address, less that of the block before
 *   varint          number of items
 *   items           a byte: kind | size << 4; size 15 means that a varint with the size follows
 *
 * References: two varints, the bytes of the control stream and of the heads; these; the data stream.  Nothing is remembered from the
 * part before.
 *   control   how it goes on from a block (from 0 at first): 0 as last time, 1 as the time before that, 2 another way: a byte of flags
 *             (1: its branch was taken, 2: the target of its indirect branch or return follows; otherwise it is where the next block
 *             begins), a varint, the next block, and the target, zigzag, less the block's own address.  A way to block 0 leads to a
 *             group.  An open item is a group, too.  A way whose target follows is as it was before but for the target
 *   group     records: a byte kind + 1; varint size if it is a reference, flags if it is a conditional branch, number if it is MORE (no more);
 *             zigzag address less that of the last record of this kind in a group; for indirect branches, calls and returns a zigzag
 *             varint, target less address.  A byte 0 ends it
 *   heads     for each reference of a block a byte: 0 if it is where its item's last address and the step to it lead (at first: where
 *             the reference before was), 9 if it lies as far from the reference before as last time, else the bytes of
 *   data      zigzag of how far it lies from the first of these, as many as its head says, low ones first
 *
 * So a loop over an array costs a few zeros for each iteration, which zstd compresses to almost nothing. */

#define PARTS_MAGIC "QNTRACE3"
#define PARTS_END "QNTREND3"
#define PARTS_MAGIC_BYTES 8
#define PARTS_TRAILER_BYTES 16
#define PART_MARK 0x50544e51u /* "QNTP" */
#define PART_BYTES_MAX (64u << 20) /* of a payload, not compressed */

enum part_kind { PART_DEFINITIONS = 1, PART_REFERENCES, PART_INDEX };
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

/* ---- what both sides remember ---- */

struct way {
    uint32_t next;
    uint8_t flags;
};

struct item_site { /* of a reference to data */
    uint64_t last, step, off;
};

struct part_block {
    uint64_t pc;
    const struct qn_item *item;
    uint32_t n, sites;         /* items; index of the first site */
    uint16_t references, opens; /* numbers of items: data references, whose address is recorded; open items */
    uint16_t instructions;
    uint8_t branch;            /* it ends in a branch whose outcome is recorded: 1 conditional, 2 indirect */
    uint32_t generation;       /* of the predictions */
    struct way way[2];
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
}

static inline void part_block_begin(struct part_block *b, struct item_site *sites, uint32_t generation)
{
    if (b->generation == generation)
        return;
    b->generation = generation;
    b->way[0] = b->way[1] = (struct way){~0u, 0};
    for (uint32_t i = 0; i < b->references; i++)
        sites[b->sites + i] = (struct item_site){0};
}

#endif
