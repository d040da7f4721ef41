/* lib/sim/parts.h - quern's own trace format, third form: what trace/write.c writes and hosted/parts.c reads.
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
 * So a loop over an array costs a few zeros for each iteration, which zstd compresses to almost nothing.
 */
#ifndef QN_SIM_PARTS_H
#define QN_SIM_PARTS_H

#include "base/base.h"
#include "sim/contract.h"

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

#define CRC_STEP 8u /* bytes at a time: table[k] has what a byte does with k further ones behind it */

static inline void part_crc_begin(uint32_t table[CRC_STEP][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (unsigned k = 0; k < 8; k++)
            c = c >> 1 ^ (0xedb88320u & (0 - (c & 1)));
        table[0][i] = c;
    }
    for (unsigned k = 1; k < CRC_STEP; k++)
        for (uint32_t i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

static inline uint32_t part_crc(uint32_t crc, const uint8_t *p, uint64_t n)
{
    static uint32_t table[CRC_STEP][256];

    if (!table[0][255])
        part_crc_begin(table);
    for (crc = ~crc; n >= CRC_STEP; n -= CRC_STEP, p += CRC_STEP) {
        uint64_t x;

        __builtin_memcpy(&x, p, sizeof x);
        x ^= crc;
        crc = 0;
        for (unsigned k = 0; k < CRC_STEP; k++)
            crc ^= table[CRC_STEP - 1 - k][x >> 8 * k & 255];
    }
    for (; n--; p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

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

static inline uint64_t site_zigzag(uint64_t d) { return d << 1 ^ (0 - (d >> 63)); }
static inline uint64_t site_unzigzag(uint64_t z) { return z >> 1 ^ (0 - (z & 1)); }

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
