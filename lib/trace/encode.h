/* lib/trace/encode.h - what encode.c (words to streams) and write.c (streams to the file) share. */
#ifndef QN_TRACE_ENCODE_H
#define QN_TRACE_ENCODE_H

#include "sim/parts.h"
#include "trace/write.h"

struct stream {
    uint8_t *at;
    size_t n, room;
};

/* A record that is not one of a block's items: of a group. */
struct grouped {
    uint64_t addr, target; /* of a RUN, addr: how often; target of what it consists of: the step */
    uint32_t size, open;   /* open: which open item of the block it belongs to, from 1 */
    uint8_t kind, flags;
    bool stepping;         /* it is a part of a RUN */
};

struct pending { /* a block that has begun */
    uint32_t id;      /* 0: none */
    uint16_t n;       /* references so far */
    uint16_t opens;   /* open items that have begun */
    bool open, known; /* the last of these has not ended; which way it goes is known */
    uint8_t taken;
    uint64_t target;
    uint64_t addr[QN_ITEMS_MAX];
    struct grouped *group;
    size_t ngroup, group_room;
    struct grouped held; /* a part of a RUN whose step is to come */
};

/* What the file holds: parts that are whole, up to references. */
struct written {
    uint32_t places;
    uint64_t bytes, instructions, references;
};

struct qn_trace_writer {
    FILE *to;
    enum qn_trace_packing how;
    bool failed;
    int error;                 /* errno */
    const char *bug;
    uint64_t from, end;        /* instructions wanted */
    uint64_t instructions;     /* that have come */
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
    /* the definition that is coming in */
    struct qn_item items[QN_ITEMS_MAX + QN_ITEMS_A_WORD];
    uint64_t define_pc;
    uint32_t define_id, define_n, define_have;
    bool defining;
    uint32_t run_parts;        /* of a RUN, that are to come */
    /* the block that runs, and the one that was written last */
    struct pending now;
    uint32_t previous;
    uint8_t previous_taken;
    uint64_t previous_target;
    bool in_group;
    /* the part that is being made */
    struct stream control, heads, data, definitions;
    uint64_t run_times;        /* of the run whose parts are written */
    uint64_t part_first, part_instructions, part_references, before, last[16], last_pc;
    uint32_t generation;
    struct part_place *place;
    uint32_t places, place_room;
    struct written written, written_before; /* before: without the last part of references */
};

/* write.c: the parts that have been made go into the file. */
void trace_write_parts(struct qn_trace_writer *w);

/* encode.c: the streams come to an end; a block that has begun is left out. */
void trace_end_streams(struct qn_trace_writer *w);
/* The block that has begun is written, if it is at its end. */
void trace_finish(struct qn_trace_writer *w);

void trace_fail(struct qn_trace_writer *w);
void trace_varint(struct qn_trace_writer *w, struct stream *s, uint64_t value);

/* define.c */
void trace_define_begin(struct qn_trace_writer *w, const struct qn_log_entry *word);
void trace_define_word(struct qn_trace_writer *w, const struct qn_log_entry *word);

#endif
