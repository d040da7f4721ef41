/* lib/event/event.h - the event list: what a block does to caches and predictors, in program order.
 *
 *   401000: mov (%rdi),%eax   ->   I  401000,2   D r 4 (%rdi)
 *   401002: jne 401000        ->                 B  401002        (same code line: no I event)
 *
 * It is quern's intermediate representation, as UCode was that of the first Cachegrind: what to count is
 * decided here, once per block, before code is emitted; --trace=event shows it.  The list also lays out
 * the cost centre (see cost/arena.h): each event has its counter.
 */
#ifndef QN_EVENT_H
#define QN_EVENT_H

#include "block/block.h"
#include "cost/arena.h"
#include "decode/decode.h"

enum qn_event_kind {
    QN_EV_FETCH,   /* code line(s) touched by an instruction */
    QN_EV_DATA,    /* one data reference at a computable address */
    QN_EV_STRING,  /* rep string instruction: references follow from register differences afterwards */
    QN_EV_COMPLEX, /* masked, gather, scatter, xsave: a helper computes the references */
    QN_EV_COND,    /* conditional branch */
    QN_EV_INDIRECT, /* indirect jump or call */
    QN_EV_CALL,    /* any call: for return stacks */
    QN_EV_RETURN
};

/* The kind in text. */
const char *qn_event_kind_name(enum qn_event_kind kind);

struct qn_event {
    uint8_t kind, insn;
    uint8_t write;       /* DATA: reference is a write */
    uint8_t fixed;       /* COND: outcome known at translation (cachegrind's cas loop): 1 = not taken */
    uint8_t repeat;      /* FETCH, with --check: left out otherwise; for the shadow model only, has no counters */
    uint16_t size;       /* bytes */
    uint32_t counter;    /* offset from the block's execution counter, in counters */
    uint64_t addr;       /* FETCH: first byte; CALL: where it will return */
    struct qn_mem mem;   /* DATA, COMPLEX */
};

#define QN_EVENTS_MAX (QN_BLOCK_MAX * 4)

struct qn_event_rules {
    bool cachegrind;     /* counting=cachegrind */
    bool caches, branches;
    uint32_t i1_line, i1_sets;
    bool i1_every;       /* every fetch is an event: a hit directly after a reference may change the cache's state */
    bool returns;        /* calls and returns are events: a predictor has a return stack */
    bool check;          /* fetches that are left out are events, too, marked `repeat` */
    uint32_t clamp;      /* cachegrind: references are cut to this many bytes; 0 = never */
};

struct qn_event_list {
    unsigned n;
    uint32_t ncounters;                /* of the whole cost centre, execution counter included */
    qn_insn_desc desc[QN_BLOCK_MAX];   /* QN_INSN_* words of cost/arena.h */
    struct qn_event ev[QN_EVENTS_MAX];
};

void qn_event_collect(struct qn_event_list *list, const struct qn_block *b, const struct qn_event_rules *rules);
void qn_event_dump(const struct qn_event_list *list, const struct qn_block *b, void (*out)(const char *line));

/* ---- memory operands that Valgrind 3.19 loads in several pieces, or in part ----
 *
 *   vfmadd132ps (%rbx),%xmm5,%xmm1    ->  {4, 4, 4}      four loads of 4 bytes, side by side
 *   vmovddup    (%rbx),%ymm1          ->  {2, 8, 16}     two of 8, at 0 and at 16
 *   vpslld      (%rbx),%xmm5,%xmm1    ->  {1, 8, 8}      the lower half
 *   addps       (%rbx),%xmm1          ->  {0, 0, 0}      no rule: all at once
 *
 * The lower address comes first.  Source: the references that its tool lackey shows (--trace-mem=yes).
 */

#define QN_PIECES_PLAIN 3 /* so many are references of their own in a block's events; for more a helper is called */

struct qn_pieces {
    uint8_t n, size, step; /* size and step in bytes; n = 0: no pieces */
};

/* Of the operand in memory.  code: the bytes of the instruction. */
struct qn_pieces qn_event_pieces(const struct qn_insn *in, const uint8_t *code);

#endif
