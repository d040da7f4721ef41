/* lib/run/observe/data/blocks.h - see blocks.c. */
#ifndef QN_RUN_BLOCKS_H
#define QN_RUN_BLOCKS_H

#include "run/observe/data/stamps.h"

struct qn_live_block {
    uint64_t base, end;      /* end: exclusive */
    uint32_t object;         /* of the arena */
    uint32_t outer;          /* number of the block that it lies in; 0 = none.  Of a free one: the next free one */
    uint32_t inner;          /* blocks whose outer this is */
    uint32_t number;
    uint64_t stamp;          /* another one when the block goes, and when one comes to lie in it */
};

/* A block is allocated.  Older ones that overlap it and do not hold all of it are gone, and what lies in them. */
void qn_blocks_add(uint64_t base, uint64_t size, uint32_t object);

/* All blocks that begin at this address are gone, and what lies in them; false: there is none. */
bool qn_blocks_remove(uint64_t base);

/* All blocks that begin in [start, end) are gone, and what lies in them. */
void qn_blocks_remove_range(uint64_t start, uint64_t end);

/* The innermost block that holds the byte; NULL: none. */
const struct qn_live_block *qn_blocks_find(uint64_t address);

/* Small blocks that were found and have none in them, by where the byte was that was asked for. */
#define QN_SMALL_BLOCK 4096u /* bytes */
#define QN_SMALL_LINE 64u
#define QN_SMALL_BLOCKS 65536u
extern struct qn_small_block {
    uint64_t base;
    uint32_t size, object;
} qn_small_blocks[QN_SMALL_BLOCKS];

/* NULL: it has to be looked up. */
static inline const struct qn_small_block *qn_blocks_recall(uint64_t address)
{
    const struct qn_small_block *s = &qn_small_blocks[address / QN_SMALL_LINE % QN_SMALL_BLOCKS];

    return address - s->base < s->size ? s : NULL;
}

/* Does any block lie in this page, in part? */
bool qn_blocks_are_in(uint64_t start, uint64_t end);

void *qn_engine_alloc(uint64_t bytes); /* zeros; supplied by the engine */

#endif
