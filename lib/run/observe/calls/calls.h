/* lib/run/observe/calls/calls.h - --calls: what each call costs, until it returns.  See call_frames.c. */
#ifndef QN_RUN_CALLS_H
#define QN_RUN_CALLS_H

#include "base/context.h"
#include "block/block.h"
#include "cost/calls/call_records.h"
#include "emit/emit.h"

/* ---- call_tables.c: what is known of code ---- */

void qn_calls_learn(void);            /* the collector has found the functions of a mapping */
bool qn_calls_begins(uint64_t pc);    /* a function begins here, so that a block does, too */
void qn_calls_arrives(void);          /* a call may have led to rip, which may be no function yet */
bool qn_calls_is_symbol(uint64_t pc); /* a function that a symbol names begins here */
uint32_t qn_calls_function(uint64_t pc); /* that pc lies in; 0: none, or there is no room */
/* Fills b->calls.  record: the block's in the arena; desc: of its instructions. */
void qn_calls_mark(struct qn_block *b, uint32_t record, const qn_insn_desc *desc);

/* ---- call_frames.c: what happens ---- */

uint32_t qn_calls_coming(void);       /* control is at a function's entry: offset of the edge that this call will count for; 0: none */

/* ---- call_tables.c: edges and contexts ---- */

extern struct qn_call_last *qn_calls_last; /* by block: the edge used last */
uint32_t qn_calls_search_edge(uint32_t block, uint32_t function);

static inline struct qn_call_edge *qn_calls_edge(uint32_t offset)
{
    return (struct qn_call_edge *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_EDGES_OFF + offset);
}

/* The offset of an edge.  block: as in struct qn_call_edge.  0: there is no room */
static inline uint32_t qn_calls_find_edge(uint32_t block, uint32_t function)
{
    const struct qn_call_last *last = &qn_calls_last[block];

    return QN_LIKELY(last->edge && last->function == function) ? last->edge : qn_calls_search_edge(block, function);
}

uint32_t qn_calls_find_node(uint32_t parent, uint32_t function); /* the same */
struct qn_call_node *qn_calls_node(uint32_t i);

void qn_calls_rows_init(void);

extern const struct qn_slice qn_calls_slice;

#endif
