/* lib/run/observe/calls/calls_stacks.h - what calls.c, calls_frames.c and calls_stacks.c share. */
#ifndef QN_RUN_CALLS_STACKS_H
#define QN_RUN_CALLS_STACKS_H

#include "cost/calls/call_records.h"
#include "run/run.h"

/* ---- calls.c ---- */

extern int64_t *calls_sums;                   /* of the running stack; NULL: calls are not counted */
extern struct qn_call_stack *calls_current;   /* that one */
void calls_settle(void);                      /* sums go to the frame that they belong to */
void calls_root_here(void);                   /* what has been counted outside of all frames is what the function at ctx.rip has cost */
/* A block that loads rsp and then goes on elsewhere has popped this edge's frame last; 0: none.  Lazy binding: its end will be a jump, to what
 * is called in place of what was popped. */
extern uint32_t calls_left;

/* ---- calls_frames.c ---- */

void calls_frames_init(void);
void calls_push(uint32_t edge, uint64_t sp);  /* edge 0: there is no row for it, and what called has the costs */
uint32_t calls_pop_below(uint64_t sp);        /* frames whose return address lies below it; returns the edge of the last; 0: there was none */
void calls_show_top(uint32_t top);            /* the running stack is another, whose frame on top is this */
void calls_close(void);                       /* all frames return */
uint64_t calls_base(void);                    /* stack pointer of the first frame */
void calls_give_back(uint64_t *chain);        /* frames that are free from here on, each above the one before */

static inline struct qn_call_frame *calls_frame(uint32_t offset)
{
    return (struct qn_call_frame *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_FRAMES_OFF + offset);
}

/* On top of the running stack; row 0: there is none, and ctx.calls_sp is 0. */
static inline struct qn_call_frame *calls_top(void) { return (struct qn_call_frame *)(uintptr_t)calls_sums[QN_CALL_TOP]; }

static inline uint32_t calls_offset(const struct qn_call_frame *f) { return qn_call_frame_offset((uintptr_t)f); }
static inline bool calls_has_top(void) { return calls_offset(calls_top()) != 0; }

/* ---- calls_stacks.c ---- */

void calls_stacks_init(void);
bool calls_reclaim(void); /* frames above those on top of all stacks become free; false: there was none */

#endif
