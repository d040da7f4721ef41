/* lib/run/observe/calls_quick.c - --calls: entering a function and returning from it, where nothing is rare.
 *
 *   the block that called has called this function last, there is a frame to take, and no frame has to be popped first
 *   a return, or what returns with it (tail calls), leaves other frames on the stack
 *
 * What they do is what calls.c does, which they leave everything else to.  They are as short as can be; what they call keeps all registers, so
 * that few are saved.
 */
#include "run/observe/calls.h"
#include "run/observe/calls_stacks.h"
#include "run/run.h"
#include "sim/contract.h"

#define ALONE QN_NCSR __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

static int64_t *counts_of(struct qn_call_frame *f) { return (int64_t *)(f + 1); }

INLINED void note_frequent(int64_t *to, bool branches)
{
    const int64_t *sums = calls_sums;

    to[QN_COST_IR] = sums[QN_COST_IR];
    to[QN_COST_DR] = sums[QN_COST_DR];
    to[QN_COST_DW] = sums[QN_COST_DW];
    if (!branches)
        return;
    to[QN_COST_BC] = sums[QN_COST_BC];
    to[QN_COST_BCM] = sums[QN_COST_BCM];
    to[QN_COST_BI] = sums[QN_COST_BI];
    to[QN_COST_BIM] = sums[QN_COST_BIM];
}

INLINED void add_frequent(int64_t *to, const int64_t *since, bool branches)
{
    const int64_t *sums = calls_sums;

    to[QN_COST_IR] += sums[QN_COST_IR] - since[QN_COST_IR];
    to[QN_COST_DR] += sums[QN_COST_DR] - since[QN_COST_DR];
    to[QN_COST_DW] += sums[QN_COST_DW] - since[QN_COST_DW];
    if (!branches)
        return;
    to[QN_COST_BC] += sums[QN_COST_BC] - since[QN_COST_BC];
    to[QN_COST_BCM] += sums[QN_COST_BCM] - since[QN_COST_BCM];
    to[QN_COST_BI] += sums[QN_COST_BI] - since[QN_COST_BI];
    to[QN_COST_BIM] += sums[QN_COST_BIM] - since[QN_COST_BIM];
}

static ALONE void note_rare(struct qn_call_frame *f, uint32_t offset)
{
    f->owner = offset;
    for (unsigned k = 0; k < qn_arena->calls.columns; k++)
        if (qn_call_is_rare(k))
            counts_of(f)[k] = calls_sums[k];
}

static ALONE void add_rare(int64_t *to, const struct qn_call_frame *f)
{
    const int64_t *since = counts_of(calls_frame(f->owner));

    for (unsigned k = 0; k < qn_arena->calls.columns; k++)
        if (qn_call_is_rare(k))
            to[k] += calls_sums[k] - since[k];
}

INLINED void push(struct qn_call_edge *e, uint32_t edge, struct qn_call_function *called, uint64_t sp, bool branches)
{
    uint32_t offset = calls_free, below = calls_current->top;
    struct qn_call_frame *f = calls_frame(offset), *b = calls_frame(below);
    int64_t any = calls_sums[QN_SUMS_ANY];

    qn_ctx.called = 0;
    calls_free = f->below;
    f->below = below;
    f->edge = edge;
    f->sp = sp;
    f->active = called->active++ != 0;
    f->rare = any;
    f->owner = b->owner;
    note_frequent(counts_of(f), branches);
    e->calls++;
    calls_current->top = offset;
    qn_ctx.calls_sp = sp;
    if (b->rare != any)
        note_rare(f, offset);
}

/* A call: above the frame on top.  A jump: to another function, with the stack pointer of that frame or of a lower one. */
INLINED void enter(bool branches)
{
    uint32_t called = qn_ctx.called, block = called & ~QN_CALLED_TAIL, entry = (uint32_t)qn_ctx.arg_aux, to = entry & ~QN_ENTRY_SYMBOL, edge;
    uint64_t sp = qn_ctx.guest_sp, top_sp = qn_ctx.calls_sp;
    struct qn_call_edge *e;

    if (QN_UNLIKELY(!block || !calls_current->top || !calls_free))
        goto slowly;
    edge = qn_calls_last[block];
    e = qn_calls_edge(edge);
    if (QN_UNLIKELY(!edge || e->function != to || calls_function(to)->stack != qn_arena->calls.current))
        goto slowly;
    if (called != block) {
        if (QN_UNLIKELY(top_sp < sp || !(entry & QN_ENTRY_SYMBOL) || qn_calls_edge(calls_frame(calls_current->top)->edge)->function == to))
            goto slowly;
        calls_current->fresh = 0;
    } else if (QN_UNLIKELY(top_sp <= sp)) {
        goto slowly;
    }
    push(e, edge, calls_function(to), sp, branches);
    return;
slowly:
    qn_calls_enter();
}

/* false: nothing was done. */
INLINED bool pop(uint32_t offset, struct qn_call_frame *f, bool branches)
{
    struct qn_call_edge *e = qn_calls_edge(f->edge);
    struct qn_call_function *called = calls_function(e->function);
    int64_t *to = (int64_t *)(e + 1);
    uint32_t below = f->below;

    if (QN_UNLIKELY(called->stack != qn_arena->calls.current || !below))
        return false;
    if (f->active)
        to += qn_arena->calls.columns;
    add_frequent(to, counts_of(f), branches);
    if (f->rare != calls_sums[QN_SUMS_ANY])
        add_rare(to, f);
    called->active--;
    calls_current->top = below;
    qn_ctx.calls_sp = calls_frame(below)->sp;
    f->below = calls_free;
    calls_free = offset;
    return true;
}

INLINED void leave(bool branches)
{
    uint32_t offset = calls_current->top;

    if (QN_UNLIKELY(!offset || qn_ctx.arg_aux))
        goto slowly;
    while (qn_ctx.calls_sp < qn_ctx.guest_sp) {
        if (QN_UNLIKELY(!pop(offset, calls_frame(offset), branches)))
            goto slowly;
        offset = calls_current->top;
    }
    calls_left = 0;
    return;
slowly:
    qn_calls_return();
}

static QN_NCSR void enter_plain(void) { enter(false); }
static QN_NCSR void enter_with_branches(void) { enter(true); }
static QN_NCSR void leave_plain(void) { leave(false); }
static QN_NCSR void leave_with_branches(void) { leave(true); }

/* Counts are what they are only where nothing is simulated later. */
static bool is_quick(void) { return qn_cfg()->calls == QN_CALLS_YES && !qn_sim_log_on && !qn_sim_branches.next; }

qn_slow_call *qn_calls_entering(void)
{
    return !is_quick() ? qn_calls_enter : qn_cfg()->branch_sim ? enter_with_branches : enter_plain;
}

qn_slow_call *qn_calls_leaving(void)
{
    return !is_quick() ? qn_calls_return : qn_cfg()->branch_sim ? leave_with_branches : leave_plain;
}
