/* lib/cost/calls/call_records.h - the part of the counts arena that --calls fills.
 *
 *   ranges      functions of each mapping, by address: the collector finds them when the mapping is first executed
 *   functions   7: the function that begins at 401136 of map 0
 *   edges       12: function 7, called at the end of block 4711, 1000 times; the costs of these calls
 *   stacks      2: the stack of a thread, a coroutine or a signal handler, with its counts
 *   frames      a call that has not returned: its edge, the stack pointer at its entry, the counts then
 *   nodes       with --calls=paths: 9: function 7 called in the context of node 5; its own costs there
 *
 * Counts are in columns: enum qn_cost_event, then events of modules (qn_call_head.columns).  They are running totals of a stack; a frame
 * holds their values at its entry.
 *
 * Row 0 of each table is not used.  A frame, and the edge of a frame, is identified by its byte offset in the table.  A stack keeps the
 * frames that it has used, so the next call at the same depth reuses one.
 */
#ifndef QN_COST_CALL_RECORDS_H
#define QN_COST_CALL_RECORDS_H

#include "base/context.h"
#include "cost/arena.h"
#include "cost/events.h"

/* From QN_ARENA_CALLS_OFF on. */
#define QN_CALL_RANGES_OFF 0ull
#define QN_CALL_RANGES_SIZE (64ull << 20)
#define QN_CALL_MAPS_OFF (64ull << 20)
#define QN_CALL_MAPS_SIZE (4ull << 20)
#define QN_CALL_STACKS_OFF (68ull << 20)
#define QN_CALL_STACKS_SIZE (12ull << 20)
#define QN_CALL_FUNCTIONS_OFF (80ull << 20)
#define QN_CALL_FUNCTIONS_SIZE (32ull << 20)
/* What each call and return of an edge changes, `calls` to Dw, is one line of 64 bytes. */
#define QN_CALL_EDGES_OFF ((112ull << 20) + 48)
#define QN_CALL_EDGES_SIZE ((464ull << 20) - 64)
#define QN_CALL_FRAMES_OFF (576ull << 20)
#define QN_CALL_FRAMES_SIZE (384ull << 20)
#define QN_CALL_NODES_OFF (960ull << 20)
#define QN_CALL_NODES_SIZE (256ull << 20)

#define QN_CALL_STACKS_MAX 4096u

/* Flags of a range.  SYMBOL: a function that a symbol names; PLT: a section of stubs that jump elsewhere; BELOW_MAIN: a function that profiles show
 * as (below main), all of which are one function. */
enum { QN_CALL_SYMBOL = 1, QN_CALL_PLT = 2, QN_CALL_BELOW_MAIN = 4 };

struct qn_call_range {
    uint64_t start;          /* guest address */
    uint32_t size, flags;
};

struct qn_call_map {         /* which ranges, sorted by start, are a mapping's */
    uint32_t map, first, count, pad;
};

struct qn_call_function {
    uint64_t pc;             /* its first instruction; of code that no symbol covers: the first that was called or jumped to */
    uint32_t map;            /* index into maps */
    uint32_t active;         /* frames of it on the running stack */
    uint32_t next, pad;
};

/* Behind it two rows of counts: of calls while the function was not active, and while it was. */
struct qn_call_edge {
    uint32_t block;          /* record of the caller's block, whose last instruction calls, + 1; 0: no caller is known */
    uint32_t function;
    uint64_t calls;
};

/* In the engine's own memory: the edge by which a block called last. */
struct qn_call_last {
    uint32_t edge, function; /* edge: offset; 0: none */
};

struct qn_call_stack {
    uint32_t top;            /* frame: offset; while it does not run (see QN_CALL_TOP) */
    uint32_t used;           /* 0: free */
    uint32_t interrupted;    /* of a handler of a signal: the stack that it came to */
    uint32_t called;         /* ctx.called when it was interrupted */
    uint32_t fresh, pad;     /* of a coroutine that has not begun: whatever leads to its first function does not call it */
    uint64_t low, base;      /* stack pointers: where it was left, where it begins */
    uint64_t times;          /* when it was left last: the number of the change */
    uint64_t first;          /* address of its first frame in the engine; 0: none was taken yet */
    int64_t totals[QN_COST_COLUMNS + 1]; /* while it does not run; the last as `rare` of a frame */
    int64_t closed[QN_COST_COLUMNS]; /* of these, what frames that have returned have taken */
};

/* Behind it one row: what the running totals were at its entry.  The rare ones, all but Ir, Dr, Dw, Bc, Bi, Bcm and Bim, are those of `owner`, a frame
 * below or this one: since its entry they had not changed.  Addresses are the engine's; emitted code follows them (emit/calls.c). */
struct qn_call_frame {
    uint32_t below, edge;    /* offsets */
    uint64_t sp;             /* at the first instruction: address of the return address */
    uint32_t node, owner;    /* owner: offset */
    int64_t rare;            /* changes whenever a rare count changes */
    uint64_t row;            /* address of the row of the edge that it counts for: the second one, if its function was active already */
    uint64_t active;         /* address of `active` of its function */
    uint64_t under, above;   /* addresses of the frame below, and of the one that comes above it; 0: none was taken yet */
};

#define QN_CALL_AT(table) (QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + (table)) /* in the engine */

static inline uint32_t qn_call_frame_offset(uint64_t address) { return (uint32_t)(address - QN_CALL_AT(QN_CALL_FRAMES_OFF)); }

/* Was its function active when it was called? */
static inline bool qn_call_is_inner(const struct qn_call_frame *f)
{
    return f->row != QN_CALL_AT(QN_CALL_EDGES_OFF) + f->edge + sizeof(struct qn_call_edge);
}

/* Counters behind the sums of the running stack: the address of its frame on top; and two for misses that are charged to nobody (qn_config.aside). */
#define QN_CALL_TOP (QN_COST_COLUMNS + 1)
#define QN_CALL_ASIDE (QN_COST_COLUMNS + 2)

/* Is this event one of the rare ones of a frame? */
static inline bool qn_call_is_rare(unsigned event)
{
    return event != QN_COST_IR && event != QN_COST_DR && event != QN_COST_DW && (event < QN_COST_BC || event > QN_COST_BIM);
}

/* Behind it one row. */
struct qn_call_node {
    uint32_t parent, function;
    uint64_t calls;
};

/* An odd number of lines, so that edges do not fall into few sets of the processor's caches. */
static inline uint64_t qn_call_edge_bytes(uint32_t columns)
{
    return qn_round_up(sizeof(struct qn_call_edge) + 2 * columns * sizeof(int64_t), 64) | 64;
}

static inline uint64_t qn_call_frame_bytes(uint32_t columns) { return sizeof(struct qn_call_frame) + columns * sizeof(int64_t); }
static inline uint64_t qn_call_node_bytes(uint32_t columns) { return sizeof(struct qn_call_node) + columns * sizeof(int64_t); }

#endif
