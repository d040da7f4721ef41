/* lib/run/observe/calls.c - --calls: what each call costs, all costs until it returns included.
 *
 *   main calls f:   ctx.called = the block that calls        at its end, by emitted code (emit/calls.c)
 *                   qn_calls_enter(f)                        at f's first block: a frame that holds the counts so far
 *   f returns:      qn_calls_return()                        what was counted since goes to the edge main -> f
 *
 * A call is one if control comes to the first instruction of a function: so stubs of a PLT are none, and the dynamic linker that looks a symbol up
 * is called by itself before what it finds.  A jump there from another function is a tail call, whose frame returns with that below it.
 *
 * Frames are popped by the stack pointer, not by who returned: a frame is gone when rsp is above its return address.  So longjmp, unwinding and
 * code that never returns need no care.  An edge has two sums, of calls while its function was not active on this stack, and while it was: the
 * first are what the function costs, without recursion counted twice; both, what these calls cost, as Callgrind has it.
 *
 * Each thread, each coroutine and each handler of a signal has a stack of frames and running totals of its own, so that none pays for another
 * (stacks: calls_stacks.c).
 */
#include "run/observe/calls.h"
#include "run/observe/calls_stacks.h"
#include "run/run.h"
#include "cost/count.h"
#include "sim/contract.h"

#define COUNTERS 48u            /* of the arena, for the sums: those of QN_COST_COLUMNS, and QN_SUMS_ANY */
_Static_assert(COUNTERS > QN_SUMS_ANY, "");

int64_t *calls_sums;
struct qn_call_stack *calls_current;

uint32_t calls_left;           /* edge of the last frame that was popped since rsp was loaded; 0: none */
uint32_t calls_free;           /* frame: the first of those that nothing uses */
static uint32_t columns, frame_bytes;

static struct qn_call_head *head(void) { return &qn_arena->calls; }

static struct qn_call_frame *frame(uint32_t offset) { return calls_frame(offset); }
static struct qn_call_function *function(uint32_t i) { return calls_function(i); }
static int64_t *counts_of_frame(struct qn_call_frame *f) { return (int64_t *)(f + 1); }
static int64_t *counts_of_edge(struct qn_call_edge *e, bool active) { return (int64_t *)(e + 1) + (active ? columns : 0); }
static int64_t *counts_of_node(uint32_t i) { return (int64_t *)(qn_calls_node(i) + 1); }

/* ---- the start ---- */

void qn_calls_init(void)
{
    const struct qn_config *c = qn_cfg();
    struct qn_call_head *h = head();

    if (!c->calls)
        return;
    columns = QN_COST_EVENTS + qn_arena->sim_output.events;
    frame_bytes = (uint32_t)qn_call_frame_bytes(columns);
    qn_arena->n_counters = qn_round_up(qn_arena->n_counters + 1, 8);
    h->sums = (uint32_t)qn_arena->n_counters;
    qn_arena->n_counters += COUNTERS;
    calls_sums = (int64_t *)qn_arena_counters() + h->sums;
    qn_sim_sums = calls_sums;
    qn_sim_event_of = qn_engine_alloc_low(QN_ARENA_COUNTERS_SIZE / 8);
    h->columns = columns;
    h->functions = h->edges = h->frames = h->nodes = h->stacks = 1;
    qn_calls_rows_init();
    calls_stacks_init();
}

uint64_t qn_calls_sums(void) { return (uint64_t)(uintptr_t)calls_sums; }

/* In the order of cost/arena.h. */
void qn_calls_counters(uint32_t at, const qn_insn_desc *desc, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t d = desc[i];

        if (d & QN_INSN_IMISS)
            qn_sim_event_of[at++] = QN_COST_I1MR, qn_sim_event_of[at++] = QN_COST_ILMR;
        for (unsigned k = 0; k < QN_INSN_NREAD(d); k++)
            qn_sim_event_of[at++] = QN_COST_D1MR, qn_sim_event_of[at++] = QN_COST_DLMR;
        for (unsigned k = 0; k < QN_INSN_NWRITE(d); k++)
            qn_sim_event_of[at++] = QN_COST_D1MW, qn_sim_event_of[at++] = QN_COST_DLMW;
        at += d & QN_INSN_VARIABLE ? 3 : 0;
        at += ((d & QN_INSN_BC) != 0) + ((d & QN_INSN_BI) != 0) + ((d & QN_INSN_STACK) != 0);
    }
}

void qn_calls_take_back(const qn_insn_desc *desc, unsigned n)
{
    static const uint64_t none[16];
    int64_t sum[QN_COST_EVENTS] = {0};

    for (unsigned i = 0; i < n; i++)
        qn_cost_count(desc[i], 1, none, sum);
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        calls_sums[k] -= sum[k];
}

/* ---- frames ---- */

static void set_top(uint32_t i)
{
    calls_current->top = i;
    qn_ctx.calls_sp = i ? frame(i)->sp : UINT64_MAX;
}

void calls_show_top(void) { set_top(calls_current->top); }

/* References that are only written down so far belong to what has run. */
static void drain(void)
{
    if (!qn_sim_log_is_empty())
        qn_sim_log_drain();
    if (qn_sim_branches.next && !qn_sim_branches_are_empty())
        qn_sim_branches_drain();
}

/* Counts are what they are. */
void calls_settle(void)
{
    if (QN_UNLIKELY(qn_sim_log_on || qn_sim_branches.next))
        drain();
}

static void note_totals(int64_t *to, const int64_t *from)
{
    for (unsigned k = 0; k < columns; k++)
        to[k] = from[k];
}

static uint32_t take_frame(void)
{
    uint32_t i = calls_free;

    if (i) {
        calls_free = frame(i)->below;
        return i;
    }
    if (head()->frames > qn_cfg()->calls_depth || (head()->frames + 1ull) * frame_bytes > QN_CALL_FRAMES_SIZE) {
        head()->lost_frames++;
        return 0;
    }
    return head()->frames++ * frame_bytes;
}

/* The context of a call: that of the frame below, one function further; where that is active already, its own context there. */
static uint32_t node_of(const struct qn_call_frame *f, uint32_t called)
{
    uint32_t below = f->below ? frame(f->below)->node : 0;

    for (uint32_t i = f->active ? below : 0; i; i = qn_calls_node(i)->parent)
        if (qn_calls_node(i)->function == called)
            return i;
    if (f->below && !below)
        return 0;
    return qn_calls_find_node(below, called);
}

static void note_node(struct qn_call_frame *f, uint32_t called)
{
    f->node = node_of(f, called);
    if (f->node)
        qn_calls_node(f->node)->calls++;
    else if (f->below)
        f->node = frame(f->below)->node;
}

/* Nothing is below it, or something rare has been counted since. */
static void own_counts(uint32_t i, struct qn_call_frame *f)
{
    f->owner = i;
    f->rare = f->below ? calls_sums[QN_SUMS_ANY] : -1;
    note_totals(counts_of_frame(f), f->below ? calls_sums : calls_current->closed);
}

static void push(uint32_t at, uint64_t sp)
{
    struct qn_call_edge *e = qn_calls_edge(at);
    struct qn_call_function *called = function(e->function);
    uint32_t i = at ? take_frame() : 0; /* no edge: what called has the costs */
    struct qn_call_frame *f = frame(i);

    e->calls++;
    if (QN_UNLIKELY(!i))
        return;
    calls_own(called, e->function);
    *f = (struct qn_call_frame){.below = calls_current->top, .edge = at, .sp = sp, .active = called->active != 0};
    called->active++;
    own_counts(i, f);
    if (qn_cfg()->calls == QN_CALLS_PATHS)
        note_node(f, e->function);
    set_top(i);
}

/* to += factor * what was counted since the frame was entered */
static inline void add_since(int64_t *to, const struct qn_call_frame *f, int64_t factor)
{
    const int64_t *since = (const int64_t *)(f + 1), *rare = counts_of_frame(frame(f->owner));

    for (unsigned k = 0; k < columns; k++)
        to[k] += factor * (calls_sums[k] - (qn_call_is_rare(k) ? rare : since)[k]);
}

/* A node's costs are its own: what is called from there has a node itself. */
static void add_to_nodes(const struct qn_call_frame *f)
{
    add_since(counts_of_node(f->node), f, 1);
    add_since(counts_of_node(f->below ? frame(f->below)->node : 0), f, -1);
}

static void pop(void)
{
    uint32_t i = calls_current->top;
    struct qn_call_frame *f = frame(i);
    struct qn_call_edge *e = qn_calls_edge(f->edge);
    struct qn_call_function *called = function(e->function);

    add_since(counts_of_edge(e, f->active), f, 1);
    if (qn_cfg()->calls == QN_CALLS_PATHS)
        add_to_nodes(f);
    if (!f->below)
        note_totals(calls_current->closed, calls_sums);
    calls_own(called, e->function);
    called->active--;
    set_top(f->below);
    f->below = calls_free;
    calls_free = i;
}

void calls_pop_below(uint64_t sp)
{
    while (qn_ctx.calls_sp < sp)
        pop();
}

/* Lazy binding: the block's end will be a jump, to what is called in place of what was popped. */
void calls_pop_moved(uint64_t sp)
{
    uint32_t last = 0;

    while (qn_ctx.calls_sp < sp) {
        last = frame(calls_current->top)->edge;
        pop();
    }
    calls_left = last;
}

void calls_close(void)
{
    while (calls_current->top)
        pop();
}

uint64_t calls_base(void)
{
    uint32_t i = calls_current->top;

    while (i && frame(i)->below)
        i = frame(i)->below;
    return i ? frame(i)->sp : 0;
}

/* ---- what emitted code tells ---- */

/* Nobody has been seen to call what runs. */
static __attribute__((noinline)) void push_root(uint32_t called, uint64_t sp)
{
    uint32_t edge = called ? qn_calls_find_edge(0, called) : 0;

    if (edge)
        push(edge, sp);
}

static inline void push_caller(uint32_t block, uint64_t sp)
{
    if (QN_UNLIKELY(!calls_current->top))
        push_root(qn_calls_function(qn_arena_block(block - 1)->pc), sp);
}

void calls_root_here(void)
{
    bool any = false;

    calls_settle();
    for (unsigned k = 0; k < columns; k++)
        any |= calls_sums[k] != calls_current->closed[k];
    if (!calls_current->top && any)
        push_root(qn_calls_function(qn_ctx.rip), qn_ctx.gpr[QN_RSP]);
}

static void enter(uint32_t called, uint32_t entry, uint64_t sp)
{
    uint32_t to = entry & ~QN_ENTRY_SYMBOL, block = called & ~QN_CALLED_TAIL;

    if (!block) {
        if (!calls_current->top)
            push_root(to, sp);
        return;
    }
    if (!(called & QN_CALLED_TAIL)) {
        calls_pop_below(sp + 1);
        push_caller(block, sp + sizeof(uint64_t));
        push(qn_calls_find_edge(block, to), sp);
        return;
    }
    calls_pop_below(sp);
    if (!calls_current->top && (calls_current->fresh || !(entry & QN_ENTRY_SYMBOL)))
        push_root(to, sp);
    calls_current->fresh = 0;
    push_caller(block, sp);
    if ((entry & QN_ENTRY_SYMBOL) && calls_current->top && qn_calls_edge(frame(calls_current->top)->edge)->function != to)
        push(qn_calls_find_edge(block, to), sp); /* below that of who jumps, if a stub has pushed something: it returns first */
}

uint32_t qn_calls_coming(void)
{
    uint32_t block = qn_ctx.called & ~QN_CALLED_TAIL;

    return calls_sums && block ? qn_calls_find_edge(block, qn_calls_function(qn_ctx.rip)) : 0;
}

QN_NCSR void qn_calls_enter(void)
{
    uint32_t called = qn_ctx.called;

    qn_ctx.called = 0;
    calls_settle();
    enter(called, (uint32_t)qn_ctx.arg_aux, qn_ctx.guest_sp);
}

/* What a jump leaves, it has been called in place of: the dynamic linker jumps to what it has found (lazy binding). */
static void jumped(uint32_t last)
{
    if (last && qn_calls_is_symbol(qn_ctx.arg_addr))
        qn_ctx.called = qn_calls_edge(last)->block;
}

QN_NCSR void qn_calls_return(void)
{
    uint64_t sp = qn_ctx.guest_sp;
    bool jump = qn_ctx.arg_aux != 0, had = calls_current->top != 0;
    uint32_t last = calls_left;

    calls_left = 0;
    calls_settle();
    if (!had && !jump && !calls_current->fresh)
        push_caller(qn_ctx.called & ~QN_CALLED_TAIL, sp - sizeof(uint64_t));
    while (qn_ctx.calls_sp < sp) {
        last = frame(calls_current->top)->edge;
        pop();
    }
    if (jump)
        jumped(last);
    if (!calls_current->top && !calls_current->fresh)
        push_root(qn_calls_function(qn_ctx.arg_addr), sp);
}
