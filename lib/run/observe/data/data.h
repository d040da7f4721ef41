/* lib/run/observe/data/data.h - --data: on which objects misses are.  data.c counts, rows.c finds rows, stacks.c knows stacks, ranges.c
 * symbols and mappings, frames.c frames of the stack, pairs.c who evicted whom, uses.c which bytes of a line are used, allocs.c sees what
 * is allocated, blocks.c holds it. */
#ifndef QN_RUN_DATA_H
#define QN_RUN_DATA_H

#include "base/base.h"
#include "base/context.h"
#include "cost/data/objects.h"

/* ---- data.c ---- */

void qn_data_init(void); /* once simulators are set up */
void qn_data_settle(void); /* drains the log, because objects are about to change */
void qn_data_unmapped(uint64_t start, uint64_t end); /* or mapped anew: what lay there is gone */
void qn_data_undo(uint32_t site, unsigned ll); /* the newest miss of this site did not happen */

/* An object that is not there yet; QN_NO_OBJECT where there is no room. */
#define QN_NO_OBJECT 0xffffffffu
uint32_t qn_data_add_object(const struct qn_object *o);
struct qn_object *qn_data_object(uint32_t number);

/* Where a byte lies: its object, and where that begins, or the block of it; start 0: there are no offsets in it. */
struct qn_data_place {
    uint64_t start, size;
    const uint64_t *stamp;   /* as long as this does not change, all bytes of these lie in the same; NULL: that is not known */
    uint64_t from, to;
    uint64_t around_from, around_to; /* and these, if neither a block nor a stack is in them */
    uint32_t object;
};

/* The row of a reference at this site to this byte; QN_NO_OBJECT: there is no room. */
uint32_t qn_data_find_row(uint64_t address, uint32_t site, struct qn_data_place *place);
/* Bytes of an element, where offsets in it count; 0: those in the object do. */
uint32_t qn_data_element(const struct qn_data_place *p);

/* The object at an address, and the offset in it, as misses have them; on a stack no variables are told apart. */
uint32_t qn_data_find(uint64_t address, uint64_t *offset);

/* ---- stacks.c ---- */

void qn_stacks_follow(void);                 /* what the stack pointer lies in is a stack */
uint64_t qn_stacks_end(uint64_t address);    /* of the stack that it lies in; 0: in none */
bool qn_stacks_are_in(uint64_t start, uint64_t end); /* in part */
void qn_stacks_forget(uint64_t start, uint64_t end); /* what lay there is gone */

/* The stack that was in use when the last miss was told; size 0: not known. */
extern struct qn_stack_in_use {
    uint64_t start, size;
} qn_stack_in_use;
static inline bool qn_stacks_is_in_use(uint64_t sp) { return sp - qn_stack_in_use.start < qn_stack_in_use.size; }

/* ---- rows.c ---- */

void qn_rows_init(void);
struct qn_data_row *qn_data_row(uint64_t number);
void qn_rows_forget(uint64_t start, uint64_t end); /* what was found there is no longer to be expected */
/* The same as qn_data_find_row, if it is to what the site's last reference was to; false: that is not known. */
bool qn_rows_recall(uint64_t address, uint32_t site, struct qn_data_place *place, uint32_t *row);
/* modulus: of offsets that count; 0: they are rounded instead (qn_offset_step). */
uint32_t qn_rows_find(uint64_t address, uint32_t site, const struct qn_data_place *place, uint32_t modulus);

/* ---- uses.c ---- */

void qn_uses_init(void);
void qn_uses_finish(void); /* the process ends: what is in the D1 is told */
/* The reference misses, and its first line came for this row; false: it has not come. */
bool qn_uses_has_found(uint64_t address, uint32_t site, uint32_t *row, uint32_t *object);

/* ---- frames.c ---- */

void qn_frames_note(uint32_t site, uint64_t pc, uint64_t at); /* references of a site are the instruction's at pc, and checked before that at `at` */
/* The object that an address on the running thread's stack, which ends at `end`, belongs to: a variable, of which the offset is told, or
 * a function's frames.  0: not known. */
uint32_t qn_frames_find(uint64_t address, uint32_t site, uint64_t end, uint64_t *offset);
void qn_frames_forget(uint64_t start, uint64_t end); /* the code that lay there is gone */

/* ---- pairs.c ---- */

void qn_pairs_init(void);
uint32_t qn_pairs_miss(uint32_t object); /* a miss on it is told: number of the pair that it counts for, + 1; 0: none */
void qn_pairs_add(uint32_t pair, int64_t misses, int64_t conflicts);

/* ---- ranges.c ---- */

void qn_ranges_learn(void);                       /* the collector has appended symbols and segments */
uint32_t qn_ranges_find_symbol(uint64_t address); /* QN_NO_OBJECT: none */
uint32_t qn_ranges_find_mapping(uint64_t address, uint64_t *start, uint64_t *end);
void qn_ranges_clip(uint64_t address, uint64_t *start, uint64_t *end); /* to where no symbol is; none is at the address */
void qn_ranges_forget(uint64_t start, uint64_t end); /* what lay there is gone */

/* ---- allocs.c ---- */

/* Is there something to see before the block at pc runs?  What emitted code hands on in arg_aux; 0 = nothing. */
uint32_t qn_allocs_probe(uint64_t pc);
bool qn_allocs_begins(uint64_t pc); /* a block has to begin there */
qn_slow_call qn_allocs_see;         /* arg_aux; arg_pc; the guest's registers that are not borrowed lie in ctx.gpr, too */

#endif
