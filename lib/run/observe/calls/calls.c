/* lib/run/observe/calls/calls.c - --calls: the inclusive cost of each call, that is, all events until it returns.
 *
 *   main calls f:   ctx.called = the block that calls        at its end, by emitted code (emit/calls.c)
 *                   qn_calls_enter(f)                        at f's first block: a frame that holds the counts so far
 *   f returns:      qn_calls_return()                        the counts since then go to the edge main -> f
 *
 * A call is counted when control reaches the first instruction of a function.  So a PLT stub is not a call, and the dynamic linker's
 * look-up of a symbol is a call of its own, before the function that it finds.  A jump from another function to a first instruction is a
 * tail call; its frame returns together with the frame below it.
 *
 * Frames are popped by the stack pointer: a frame has ended when rsp is above its return address.  So longjmp, unwinding and code that
 * never returns need no special handling.  An edge has two sums: of calls while its function was not active on this stack, and of calls
 * while it was.  The first sum is the cost of the function, in which recursion does not count twice; both together are the cost of these
 * calls, as in Callgrind.
 *
 * Each thread, each coroutine and each signal handler has a stack of frames and running totals of its own, so no cost is charged to
 * another (calls_stacks.c).
 */
#include "run/observe/calls/calls.h"
#include "run/observe/calls/calls_stacks.h"
#include "run/run.h"
#include "sim/contract.h"

#define COUNTERS 56u            /* of the arena, for the sums: those of QN_COST_COLUMNS, QN_SUMS_ANY, and what lies behind */
_Static_assert(QN_SUMS_ANY < QN_CALL_TOP && QN_CALL_ASIDE + 2 <= COUNTERS, "");

int64_t *calls_sums;
struct qn_call_stack *calls_current;

uint32_t calls_left;           /* edge of the last frame that was popped since rsp was loaded; 0: none */
static uint32_t columns;

static struct qn_call_head *head(void) { return &qn_arena->calls; }

/* ---- the start ---- */

void qn_calls_init(void)
{
    const struct qn_config *c = qn_cfg();
    struct qn_call_head *h = head();

    if (!c->calls)
        return;
    columns = QN_COST_EVENTS + qn_arena->sim_output.events;
    qn_arena->n_counters = qn_round_up(qn_arena->n_counters + 1, 8);
    h->sums = (uint32_t)qn_arena->n_counters;
    qn_arena->n_counters += COUNTERS;
    calls_sums = (int64_t *)qn_arena_counters() + h->sums;
    qn_sim_sums = calls_sums;
    qn_sim_event_of = qn_engine_alloc_low(QN_ARENA_COUNTERS_SIZE / 8);
    h->columns = columns;
    h->functions = h->edges = h->frames = h->nodes = h->stacks = 1;
    calls_frames_init();
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

void qn_calls_counters_aside(uint32_t at, uint32_t end)
{
    while (at < end)
        qn_sim_event_of[at++] = QN_CALL_ASIDE;
}

void qn_calls_take_back(const qn_insn_desc *desc, unsigned n)
{
    int64_t sum[QN_COST_EVENTS] = {0};

    qn_arena_add_executed(desc, n, 1, sum);
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        calls_sums[k] -= sum[k];
}

/* ---- calls from emitted code ---- */

/* Simulates logged references first, because they belong to the code that has run. */
static void drain(void)
{
    if (!qn_sim_log_is_empty())
        qn_sim_log_drain();
    if (qn_sim_branches.next && !qn_sim_branches_are_empty())
        qn_sim_branches_drain();
}

/* Makes the counts complete. */
void calls_settle(void)
{
    if (QN_UNLIKELY(qn_sim_log_on || qn_sim_branches.next))
        drain();
}

/* Pushes a root frame: the caller of the running function is unknown. */
static __attribute__((noinline)) void push_root(uint32_t called, uint64_t sp)
{
    uint32_t edge = called ? qn_calls_find_edge(0, called) : 0;

    if (edge)
        calls_push(edge, sp);
}

static inline void push_caller(uint32_t block, uint64_t sp)
{
    if (QN_UNLIKELY(!calls_has_top()))
        push_root(qn_calls_function(qn_arena_block(block - 1)->pc), sp);
}

void calls_root_here(void)
{
    bool any = false;

    calls_settle();
    for (unsigned k = 0; k < columns; k++)
        any |= calls_sums[k] != calls_current->closed[k];
    if (!calls_has_top() && any)
        push_root(qn_calls_function(qn_ctx.rip), qn_ctx.gpr[QN_RSP]);
}

static void enter(uint32_t called, uint32_t entry, uint64_t sp)
{
    uint32_t to = entry & ~QN_ENTRY_SYMBOL, block = called & ~QN_CALLED_TAIL;

    if (!block) {
        if (!calls_has_top())
            push_root(to, sp);
        return;
    }
    if (!(called & QN_CALLED_TAIL)) {
        calls_pop_below(sp + 1);
        push_caller(block, sp + sizeof(uint64_t));
        calls_push(qn_calls_find_edge(block, to), sp);
        return;
    }
    calls_pop_below(sp);
    if (!calls_has_top() && (calls_current->fresh || !(entry & QN_ENTRY_SYMBOL)))
        push_root(to, sp);
    calls_current->fresh = 0;
    push_caller(block, sp);
    if ((entry & QN_ENTRY_SYMBOL) && calls_has_top() && qn_calls_edge(calls_top()->edge)->function != to)
        calls_push(qn_calls_find_edge(block, to), sp); /* if a stub has pushed something, its frame is below the jumper's, and returns first */
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

/* A jump out of a function: the dynamic linker, after its look-up, jumps to the function that was called (lazy binding). */
static void jumped(uint32_t last)
{
    if (last && qn_calls_is_symbol(qn_ctx.arg_addr))
        qn_ctx.called = qn_calls_edge(last)->block;
}

QN_NCSR void qn_calls_return(void)
{
    uint64_t sp = qn_ctx.guest_sp;
    bool jump = qn_ctx.arg_aux != 0, had = calls_has_top();
    uint32_t last = calls_left, popped;

    if (qn_ctx.arg_aux == 1 && !had)
        return;
    calls_left = 0;
    calls_settle();
    if (!had && !jump && !calls_current->fresh)
        push_caller(qn_ctx.called & ~QN_CALLED_TAIL, sp - sizeof(uint64_t));
    popped = calls_pop_below(sp);
    if (jump)
        jumped(popped ? popped : last);
    if (!calls_has_top() && !calls_current->fresh)
        push_root(qn_calls_function(qn_ctx.arg_addr), sp);
}
