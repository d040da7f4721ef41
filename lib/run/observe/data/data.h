/* lib/run/observe/data/data.h - --data: on which objects misses are.
 *
 *   data_misses.c   counts: rows, pairs of objects that evict each other's lines, used bytes of lines
 *   data_places.c   what lies at an address: stacks and their frames, symbols, mappings
 *   data_blocks.c   allocated blocks
 *   data_allocs.c   calls of allocators
 */
#ifndef QN_RUN_DATA_H
#define QN_RUN_DATA_H

#include "base/base.h"
#include "base/context.h"
#include "cost/data/objects.h"

/* ---- misses ---- */

extern const struct qn_slice qn_data_slice; /* run/observe/observe.h */

void qn_rows_forget(uint64_t start, uint64_t end); /* what rows of sites expect there is unknown again */

/* Values by key: a hash table of which at most half is used. */
struct qn_data_index {
    struct qn_data_entry {
        uint64_t key;
        uint32_t value;      /* 0: the entry is free */
    } *list;
    uint32_t size, n;        /* size: a power of two, 0 at first */
};
struct qn_data_entry *qn_data_index_find(const struct qn_data_index *x, uint64_t key); /* a free entry if the key is not there; NULL: the table is empty */
struct qn_data_entry *qn_data_index_add(struct qn_data_index *x, uint64_t key, uint32_t most); /* NULL: there are `most` others */

/* ---- places ---- */

/* An object that is not there yet; QN_NO_OBJECT where there is no room. */
#define QN_NO_OBJECT 0xffffffffu
uint32_t qn_data_add_object(const struct qn_object *o);
struct qn_object *qn_data_object(uint32_t number);

/* Where a byte lies: its object, and where that begins, or the block of it; start 0: there are no offsets in it. */
struct qn_data_place {
    uint64_t start, size;
    const uint64_t *epoch;   /* as long as this does not change, all bytes of these lie in the same; NULL: that is not known */
    uint64_t from, to;
    uint64_t around_from, around_to; /* and these, if neither a block nor a stack is in them */
    uint32_t object;
};

/* Bytes of an element, where offsets in it count; 0: those in the object do. */
uint32_t qn_data_element(const struct qn_data_place *p);

/* The object at an address, and the offset in it, as misses have them; on a stack no variables are told apart. */
uint32_t qn_data_find(uint64_t address, uint64_t *offset);

void qn_data_unmapped(uint64_t start, uint64_t end); /* or mapped anew: what lay there is gone */
struct qn_data_place qn_data_find_place(uint64_t address, uint32_t site);

bool qn_stacks_are_in(uint64_t start, uint64_t end); /* in part */

/* The stack that was in use when the last miss was told; size 0: not known. */
extern struct qn_stack_in_use {
    uint64_t start, size;
} qn_stack_in_use;
static inline bool qn_stacks_is_in_use(uint64_t sp) { return sp - qn_stack_in_use.start < qn_stack_in_use.size; }

void qn_frames_note(uint32_t site, uint64_t pc, uint64_t at); /* references of a site are the instruction's at pc, and checked before that at `at` */
void qn_ranges_learn(void);                       /* the collector has appended symbols and segments */

/* ---- epochs: does what was found at an address still hold? ----
 *
 *   then = *qn_epoch_of(address)              the object there is found
 *   then == *qn_epoch_of(address)             no block has come or gone near it, and nothing was mapped or unmapped
 *
 * One epoch for each 64 KiB; ranges that are far apart may share one.  Blocks and mappings that come or go change them.
 */

#define QN_EPOCH_BITS 16u
#define QN_EPOCH_BYTES (1u << QN_EPOCH_BITS)
#define QN_EPOCHS 256u
extern uint64_t qn_epochs_changes; /* how often any was changed */
extern uint64_t qn_epochs[QN_EPOCHS];

static inline const uint64_t *qn_epoch_of(uint64_t address) { return &qn_epochs[address >> QN_EPOCH_BITS & (QN_EPOCHS - 1)]; }

static inline void qn_epochs_change_all(void)
{
    qn_epochs_changes++;
    for (unsigned i = 0; i < QN_EPOCHS; i++)
        qn_epochs[i] = qn_epochs_changes;
}

/* ---- blocks ---- */

struct qn_live_block {
    uint64_t base, end;      /* end: exclusive */
    uint32_t object;         /* of the arena */
    uint32_t outer;          /* number of the block that it lies in; 0 = none.  Of a free one: the next free one */
    uint32_t inner;          /* blocks whose outer this is */
    uint32_t number;
    uint64_t epoch;          /* another one when the block goes, and when one comes to lie in it */
};

/* A block is allocated.  Removes overlapping blocks unless they contain it. */
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

/* ---- calls of allocators ---- */

/* Is there something to see before the block at pc runs?  What emitted code hands on in arg_aux; 0 = nothing. */
uint32_t qn_allocs_probe(uint64_t pc);
bool qn_allocs_begins(uint64_t pc); /* a block has to begin there */
QN_NCSR qn_slow_call qn_allocs_see;         /* arg_aux; arg_pc; the guest's registers that are not borrowed lie in ctx.gpr, too */

#endif
