/* lib/run/observe/calls_stacks.h - what calls.c, calls_quick.c and calls_stacks.c share. */
#ifndef QN_RUN_CALLS_STACKS_H
#define QN_RUN_CALLS_STACKS_H

#include "cost/call_records.h"
#include "run/run.h"

/* ---- calls.c ---- */

extern int64_t *calls_sums;                   /* of the running stack; NULL: calls are not counted */
extern struct qn_call_stack *calls_current;   /* that one */
void calls_settle(void);                      /* sums go to the frame that they belong to */
void calls_pop_below(uint64_t sp);            /* frames whose return address lies below it */
void calls_pop_moved(uint64_t sp);            /* the same, by a block that loads rsp and then goes on elsewhere */
void calls_show_top(void);                    /* the running stack is another: ctx.calls_sp */
void calls_close(void);                       /* all frames return */
void calls_root_here(void);                   /* what has been counted outside of all frames is what the function at ctx.rip has cost */
uint64_t calls_base(void);                    /* stack pointer of the first frame */
extern uint32_t calls_free, calls_left;

static inline struct qn_call_frame *calls_frame(uint32_t offset)
{
    return (struct qn_call_frame *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_FRAMES_OFF + offset);
}

static inline struct qn_call_function *calls_function(uint32_t i)
{
    return (struct qn_call_function *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_FUNCTIONS_OFF) + i;
}

/* ---- calls_stacks.c ---- */

void calls_stacks_init(void);
/* function->active is of the running stack from here on. */
void calls_own_now(struct qn_call_function *f, uint32_t number);

static inline void calls_own(struct qn_call_function *f, uint32_t number)
{
    if (QN_UNLIKELY(f->stack != qn_arena->calls.current))
        calls_own_now(f, number);
}

#endif
