/* lib/trace/encode.h - what encode.c (words to streams) and write.c (streams to the file) share. */
#ifndef QN_TRACE_ENCODE_H
#define QN_TRACE_ENCODE_H

#include <string.h>

#include "trace/format.h"
#include "trace/trace.h"

#define PART_WANTED (1u << 20)    /* a part ends at so many bytes in all streams, */
#define PART_INSTRUCTIONS (1u << 22) /* or at so many instructions */
#define VARINT_MAX 10u
#define WAY_MAX (4 * VARINT_MAX)

struct stream {
    uint8_t *at;
    size_t n, room;
};

/* A record of a group, which is none of a block's items. */
struct grouped {
    uint64_t addr, target; /* RUN: addr is the number of repetitions; target of its references: the step */
    uint32_t size, open;   /* open: number of the block's open item that it belongs to, from 1 */
    uint8_t kind, flags;
    bool stepping;         /* it is one of the references of a RUN */
};

struct pending { /* a block that has begun */
    uint32_t id;      /* 0: none */
    uint16_t n;       /* references so far */
    uint16_t opens;   /* open items that have begun */
    bool open, known; /* the last open item has not ended; the outcome of the block's branch is known */
    uint64_t word[1 + QN_ITEMS_MAX + 1]; /* as of a block without open items (sim/contract.h) */
    struct grouped *group;
    size_t ngroup, group_room;
    struct grouped held; /* a reference of a RUN that waits for its STEP */
};

/* What the file holds up to the end of a part of references. */
struct written {
    uint32_t entries;
    uint64_t bytes, instructions, references;
};

struct qn_trace_writer {
    FILE *to;
    enum qn_trace_packing how;
    struct qn_trace_packer *packer;
    bool failed;
    int error;                 /* errno */
    const char *bug;
    uint64_t from, end;        /* the window: instructions from <= i < end, counted from 0 */
    uint64_t instructions;     /* executed so far, in the window or not */
    uint64_t offset;           /* in the file */
    struct qn_trace_counts counts;
    /* blocks, by their number in the file; sites of their references */
    struct part_block *block;
    uint32_t blocks, block_room, defined;
    struct item_site *site;
    uint32_t sites, site_room;
    uint32_t *file_id;         /* by the recorder's number */
    uint32_t ids, id_room;
    uint32_t *hash, hash_room; /* numbers of blocks; 0: free */
    uint32_t run_parts;        /* references of a RUN that are still to come */
    /* the block that runs, and the one that was written last */
    struct pending now;
    uint32_t previous;
    uint8_t previous_taken;
    uint64_t previous_target;
    bool in_group;
    /* the core that runs, and its thread */
    uint64_t core;
    uint32_t thread;
    bool core_due;             /* they are not written yet */
    /* the part that is being encoded */
    struct stream control, heads, data, definitions, code, payload; /* payload: of the part that is being written */
    uint64_t run_times;        /* repetitions of the RUN whose references are being encoded */
    uint64_t part_first, part_instructions, part_references, before, last[16], last_pc;
    uint32_t generation;
    struct part_entry *entry;
    uint32_t entries, entry_room;
    struct written written, written_before; /* before: at the end of the part of references before the last */
};

/* write.c: writes the encoded definitions and references into the file, a part each. */
void trace_write_parts(struct qn_trace_writer *w);

/* encode.c: ends the streams of a part; a block that has begun is not in it. */
void trace_end_streams(struct qn_trace_writer *w);
/* Writes the block that has begun, if all its words are there. */
void trace_finish(struct qn_trace_writer *w);

void trace_fail(struct qn_trace_writer *w);
void trace_varint(struct qn_trace_writer *w, struct stream *s, uint64_t value);
/* Grows the stream until it has room for `bytes` in all, those it holds included.  false: no memory. */
bool trace_room(struct qn_trace_writer *w, struct stream *s, size_t bytes);

/* ---- writing where there is room already ---- */

static inline uint8_t *varint_put(uint8_t *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}

/* Writes the way from block b, whose branch was `taken` or went to `went`, to block `next` with number `id`; 0: to a group.  Both blocks
 * must have begun in this part.  WAY_MAX bytes at most.  Returns where they end. */
static inline uint8_t *way_put(struct part_block *b, bool taken, uint64_t went, const struct part_block *next, uint32_t id, uint8_t *to)
{
    bool target = b->branch == 2 && !(id && next->pc == went), last, before;
    uint64_t way = way_to(id, (taken ? WAY_TAKEN : 0) | (target ? WAY_TARGET : 0));

    last = b->way[0] == way;
    before = b->way[1] == way;
    *to++ = last ? WAY_LAST : before ? WAY_BEFORE : WAY_OTHER;
    b->way[1] = last ? b->way[1] : b->way[0];
    b->way[0] = way;
    if (QN_UNLIKELY(!last & !before)) {
        *to++ = (uint8_t)way_flags(way);
        to = varint_put(to, id);
    }
    return target ? varint_put(to, zigzag(went - b->pc)) : to;
}

/* Writes one reference to the heads and the data; 8 bytes of room must be at *bytes. */
static inline void site_put(struct item_site *s, uint64_t addr, uint64_t before, uint8_t **head, uint8_t **bytes)
{
    uint64_t z = zigzag(addr - site_expects(s, before));
    unsigned n = (63u - (unsigned)__builtin_clzll(z | 1)) / 8 + (z != 0);
    bool as_before = z && addr == before + s->off;

    memcpy(*bytes, &z, sizeof z);
    *(*head)++ = as_before ? DATA_AS_BEFORE : (uint8_t)n;
    *bytes += as_before ? 0 : n;
    site_learn(s, addr, before);
}

#endif
