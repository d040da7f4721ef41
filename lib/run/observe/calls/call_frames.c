/* lib/run/observe/calls/call_frames.c - --calls: the inclusive cost of each call, that is, all events until it returns.
 *
 *   main calls f:   ctx.called = the block that calls        at its end, by emitted code (emit/calls.c)
 *                   entered()                                at f's first block: a frame that holds the counts so far
 *   f returns:      returned()                               the counts since then go to the edge main -> f
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
 * another.
 */
#include "cost/calls/call_records.h"
#include "run/observe/calls/calls.h"
#include "run/run.h"
#include "sim/contract.h"

#define COUNTERS 56u            /* of the arena, for the sums: those of QN_COST_COLUMNS, QN_SUMS_ANY, and what lies behind */
_Static_assert(QN_SUMS_ANY < QN_CALL_TOP && QN_CALL_ASIDE + 2 <= COUNTERS, "");

static int64_t *sums;                   /* of the running stack; NULL: calls are not counted */
static struct qn_call_stack *current;   /* that one */
/* A block that loads rsp and then goes on elsewhere has popped this edge's frame last; 0: none.  Lazy binding: its end will be a jump, to what
 * is called in place of what was popped. */
static uint32_t left_edge;
static uint32_t columns;

static struct qn_call_frame *frame(uint32_t offset) { return qn_arena_at(QN_ARENA_CALLS_OFF + QN_CALL_FRAMES_OFF + offset); }

/* On top of the running stack; row 0: there is none, and ctx.calls_sp is 0. */
static inline struct qn_call_frame *top_frame(void) { return (struct qn_call_frame *)(uintptr_t)sums[QN_CALL_TOP]; }

static inline uint32_t offset_of(const struct qn_call_frame *f) { return qn_call_frame_offset((uintptr_t)f); }
static inline bool has_top(void) { return offset_of(top_frame()) != 0; }

static bool reclaim_frames(void);

/* ---- frames of the running stack, whose costs go to edges and contexts ----
 *
 *   push    takes the frame above the top, or a new one, and stores the running totals in it
 *   pop     adds the difference since the push to the row of the edge, and with --calls=paths to that of the context
 *
 * Emitted code does most of this (emit/calls.c), with the same records.
 */

static uint64_t free_frames;   /* address of the first of those that no stack has; the next is above it */
static uint32_t frame_bytes;
static uint8_t frequent[QN_COST_EVENTS]; /* of the events that are counted those that qn_call_is_rare does not name */
static uint32_t n_frequent;

static struct qn_call_function *function(uint32_t i)
{
    return (struct qn_call_function *)qn_arena_at(QN_ARENA_CALLS_OFF + QN_CALL_FUNCTIONS_OFF) + i;
}

static int64_t *counts_of_frame(struct qn_call_frame *f) { return (int64_t *)(f + 1); }
static int64_t *counts_of_edge(struct qn_call_edge *e, bool active) { return (int64_t *)(e + 1) + (active ? columns : 0); }
static int64_t *counts_of_node(uint32_t i) { return (int64_t *)(qn_calls_node(i) + 1); }

static void set_top(struct qn_call_frame *f)
{
    sums[QN_CALL_TOP] = (int64_t)(uintptr_t)f;
    qn_ctx.calls_sp = offset_of(f) ? f->sp : 0;
}

/* Has the top frame ended?  Then the stack pointer is above its return address. */
static bool is_left(uint64_t sp) { return qn_ctx.calls_sp < sp && has_top(); }

static void give_back(uint64_t *chain)
{
    while (*chain) {
        struct qn_call_frame *f = (struct qn_call_frame *)(uintptr_t)*chain;

        *chain = f->above;
        f->above = free_frames;
        free_frames = (uintptr_t)f;
    }
}

/* A frame that no stack uses; NULL: there is none. */
static struct qn_call_frame *new_frame(void)
{
    struct qn_call_frame *f;
    bool full = qn_arena->calls.frames > qn_cfg()->calls_depth || (qn_arena->calls.frames + 1ull) * frame_bytes > QN_CALL_FRAMES_SIZE;

    if (!free_frames && full && !reclaim_frames())
        return NULL;
    if (!free_frames)
        return frame(qn_arena->calls.frames++ * frame_bytes);
    f = (struct qn_call_frame *)(uintptr_t)free_frames;
    free_frames = f->above;
    return f;
}

/* The frame above the top one; NULL: there is no room. */
static struct qn_call_frame *take_frame(void)
{
    struct qn_call_frame *top = top_frame(), *f;
    uint64_t *above = has_top() ? &top->above : &current->first;

    if (QN_LIKELY(*above))
        return (struct qn_call_frame *)(uintptr_t)*above;
    f = new_frame();
    if (!f) {
        qn_arena->calls.lost_frames++;
        return NULL;
    }
    f->below = offset_of(top);
    f->under = (uintptr_t)top;
    f->above = 0;
    *above = (uintptr_t)f;
    return f;
}

/* The context of a call: a child of the context of the frame below.  If the function is already active, the context that it has there. */
static uint32_t node_of(const struct qn_call_frame *f, uint32_t called)
{
    uint32_t below = f->below ? frame(f->below)->node : 0;

    for (uint32_t i = qn_call_is_inner(f) ? below : 0; i; i = qn_calls_node(i)->parent)
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

/* The frequent ones among them are what they are, too. */
static QN_NCSR void note_rare(void)
{
    struct qn_call_frame *f = top_frame();
    int64_t *to = counts_of_frame(f);
    const int64_t *from = sums;

    f->owner = offset_of(f);
    for (uint32_t k = QN_COST_I1MR; k <= QN_COST_DLMW; k++)
        to[k] = from[k];
    for (uint32_t k = QN_COST_EVENTS; k < columns; k++)
        to[k] = from[k];
}

/* What the running totals are; of the first frame, what no frame has taken yet. */
static void note_totals(struct qn_call_frame *f)
{
    if (!f->below) {
        f->rare = -1;
        f->owner = offset_of(f);
        for (uint32_t k = 0; k < columns; k++)
            counts_of_frame(f)[k] = current->closed[k];
        return;
    }
    f->rare = sums[QN_SUMS_ANY];
    f->owner = frame(f->below)->owner;
    for (uint32_t i = 0; i < n_frequent; i++)
        counts_of_frame(f)[frequent[i]] = sums[frequent[i]];
    if (f->rare != frame(f->below)->rare)
        note_rare();
}

static void push(uint32_t at, uint64_t sp)
{
    struct qn_call_edge *e = qn_calls_edge(at);
    struct qn_call_function *called = function(e->function);
    struct qn_call_frame *f = at ? take_frame() : NULL; /* no edge: what called has the costs */

    e->calls++;
    if (QN_UNLIKELY(!f))
        return;
    f->edge = at;
    f->sp = sp;
    f->row = (uintptr_t)counts_of_edge(e, called->active != 0);
    f->active = (uintptr_t)&called->active;
    called->active++;
    current->fresh = 0;
    set_top(f);
    note_totals(f);
    if (qn_cfg()->calls == QN_CALLS_PATHS)
        note_node(f, e->function);
}

/* to += factor * what was counted since the frame was entered */
static inline void add_rare(int64_t *to, const struct qn_call_frame *f, int64_t factor)
{
    static const uint8_t misses[] = { QN_COST_I1MR, QN_COST_ILMR, QN_COST_D1MR, QN_COST_DLMR, QN_COST_D1MW, QN_COST_DLMW };
    const int64_t *since = counts_of_frame(frame(f->owner));

    if (f->rare == sums[QN_SUMS_ANY])
        return;
#pragma GCC unroll 6
    for (uint32_t i = 0; i < QN_ARRAY_LEN(misses); i++)
        to[misses[i]] += factor * (sums[misses[i]] - since[misses[i]]);
    for (uint32_t k = QN_COST_EVENTS; k < columns; k++)
        to[k] += factor * (sums[k] - since[k]);
}

static void add_since(int64_t *to, struct qn_call_frame *f, int64_t factor)
{
    for (uint32_t i = 0; i < n_frequent; i++)
        to[frequent[i]] += factor * (sums[frequent[i]] - counts_of_frame(f)[frequent[i]]);
    add_rare(to, f, factor);
}

static QN_NCSR void add_rare_of_top(void)
{
    struct qn_call_frame *f = top_frame();

    add_rare((int64_t *)(uintptr_t)f->row, f, 1);
}

static void pop(void)
{
    struct qn_call_frame *f = top_frame();

    add_since((int64_t *)(uintptr_t)f->row, f, 1);
    if (qn_cfg()->calls == QN_CALLS_PATHS) { /* a node's costs are its own: what is called from there has a node itself */
        add_since(counts_of_node(f->node), f, 1);
        add_since(counts_of_node(f->below ? frame(f->below)->node : 0), f, -1);
    }
    if (!f->below)
        for (uint32_t k = 0; k < columns; k++)
            current->closed[k] = sums[k];
    --*(uint32_t *)(uintptr_t)f->active;
    set_top(frame(f->below));
}

/* The edge of the last frame that was popped; 0: none was. */
static uint32_t pop_below(uint64_t sp)
{
    uint32_t last = 0;

    while (is_left(sp)) {
        last = top_frame()->edge;
        pop();
    }
    return last;
}

static void close_all(void)
{
    while (has_top())
        pop();
}

static uint64_t stack_base(void)
{
    struct qn_call_frame *f = top_frame();

    while (f->below)
        f = frame(f->below);
    return offset_of(f) ? f->sp : 0;
}

/* ---- calls and returns ---- */

/* Pushes a root frame: the caller of the running function is unknown. */
static __attribute__((noinline)) void push_root(uint32_t called, uint64_t sp)
{
    uint32_t edge = called ? qn_calls_find_edge(0, called) : 0;

    if (edge)
        push(edge, sp);
}

static inline void push_caller(uint32_t block, uint64_t sp)
{
    if (QN_UNLIKELY(!has_top()))
        push_root(qn_calls_function(qn_arena_block(block - 1)->pc), sp);
}

static void root_here(void)
{
    bool any = false;

    qn_drain_logs();
    for (unsigned k = 0; k < columns; k++)
        any |= sums[k] != current->closed[k];
    if (!has_top() && any)
        push_root(qn_calls_function(qn_ctx.rip), qn_ctx.gpr[QN_RSP]);
}

static void enter(uint32_t called, uint32_t entry, uint64_t sp)
{
    uint32_t to = entry & ~QN_ENTRY_SYMBOL, block = called & ~QN_CALLED_TAIL;

    if (!block) {
        if (!has_top())
            push_root(to, sp);
        return;
    }
    if (!(called & QN_CALLED_TAIL)) {
        pop_below(sp + 1);
        push_caller(block, sp + sizeof(uint64_t));
        push(qn_calls_find_edge(block, to), sp);
        return;
    }
    pop_below(sp);
    if (!has_top() && (current->fresh || !(entry & QN_ENTRY_SYMBOL)))
        push_root(to, sp);
    current->fresh = 0;
    push_caller(block, sp);
    if ((entry & QN_ENTRY_SYMBOL) && has_top() && qn_calls_edge(top_frame()->edge)->function != to)
        push(qn_calls_find_edge(block, to), sp); /* if a stub has pushed something, its frame is below the jumper's, and returns first */
}

uint32_t qn_calls_coming(void)
{
    uint32_t block = qn_ctx.called & ~QN_CALLED_TAIL;

    return sums && block ? qn_calls_find_edge(block, qn_calls_function(qn_ctx.rip)) : 0;
}

static QN_NCSR void entered(void)
{
    uint32_t called = qn_ctx.called;

    qn_ctx.called = 0;
    qn_drain_logs();
    enter(called, (uint32_t)qn_ctx.arg_aux, qn_ctx.guest_sp);
}

/* A jump out of a function: the dynamic linker, after its look-up, jumps to the function that was called (lazy binding). */
static void jumped(uint32_t last)
{
    if (last && qn_calls_is_symbol(qn_ctx.arg_addr))
        qn_ctx.called = qn_calls_edge(last)->block;
}

static QN_NCSR void returned(void)
{
    uint64_t sp = qn_ctx.guest_sp;
    bool jump = qn_ctx.arg_aux != 0, had = has_top();
    uint32_t last = left_edge, popped;

    if (qn_ctx.arg_aux == 1 && !had)
        return;
    left_edge = 0;
    qn_drain_logs();
    if (!had && !jump && !current->fresh)
        push_caller(qn_ctx.called & ~QN_CALLED_TAIL, sp - sizeof(uint64_t));
    popped = pop_below(sp);
    if (jump)
        jumped(popped ? popped : last);
    if (!has_top() && !current->fresh)
        push_root(qn_calls_function(qn_ctx.arg_addr), sp);
}

/* ---- what emitted code does itself ---- */

/* What code that does without `entered` and `returned` knows; NULL: it has to call. */
static const struct qn_emit_calls *emitted_calls(void)
{
    static struct qn_emit_calls emitted;

    emitted = (struct qn_emit_calls){
        .edges = (uintptr_t)qn_calls_edge(0), .functions = (uintptr_t)function(0), .last = (uintptr_t)qn_calls_last, .left = (uintptr_t)&left_edge,
        .row = columns * (uint32_t)sizeof(int64_t), .events = frequent, .n_events = n_frequent,
        .note_rare = note_rare, .add_rare = add_rare_of_top,
    };
    /* Counts are what they are only where nothing is simulated later. */
    return sums && qn_cfg()->calls == QN_CALLS_YES && !qn_sim_log_on && !qn_sim_branches.next ? &emitted : NULL;
}

/* ---- stacks of frames ----
 *
 *   a thread                 has one from its start to its end
 *   a signal handler         gets one on top of the stack that it interrupts, until it returns or leaves by longjmp
 *   a coroutine              has one from the moment that rsp is loaded with an address on no known stack
 *
 * A block that loads rsp and then returns or jumps (swapcontext, and code of libraries like it) reports the old rsp and the new one:
 *
 *   between both is a frame of the running stack, or nothing    the same stack: longjmp, an exception
 *   the new one lies on another known stack                     that stack continues
 *   neither                                                     a new stack
 *
 * A stack that is not running gets no costs.  If there is no room for another stack, the coroutine that was left first is closed.
 */

#define SLACK 1024u /* bytes by which a stack may exceed its known range: data pushed before the switch, data above its first frame */

enum { FREE, RUNS, WAITS /* a coroutine */, INTERRUPTED };

/* The ranges of waiting stacks, which are searched at each switch. */
static struct {
    uint64_t low, base;
    bool waits;
} spans[QN_CALL_STACKS_MAX];

static bool counting;
static uint32_t generation;  /* of frames: counting was switched off in between */
static uint32_t made_in[QN_CALL_STACKS_MAX];
static uint64_t changes;

static struct qn_call_stack *stack(uint32_t i)
{
    return (struct qn_call_stack *)qn_arena_at(QN_ARENA_CALLS_OFF + QN_CALL_STACKS_OFF) + i;
}

_Static_assert(QN_CALL_STACKS_MAX * sizeof(struct qn_call_stack) <= QN_CALL_STACKS_SIZE, "call_records.h");

/* Frames above those on top of all stacks become free; false: there was none. */
static bool reclaim_frames(void)
{
    bool any = false;

    for (uint32_t i = 1; i < qn_arena->calls.stacks; i++) {
        struct qn_call_frame *top = i == qn_arena->calls.current ? top_frame() : frame(stack(i)->top);
        uint64_t *above = offset_of(top) ? &top->above : &stack(i)->first;

        any |= *above != 0;
        give_back(above);
    }
    return any;
}

/* Updates which functions are active: those of the running stack. */
static void add_active(int by)
{
    for (const struct qn_call_frame *f = top_frame(); offset_of(f); f = frame(f->below))
        *(uint32_t *)(uintptr_t)f->active += (uint32_t)by;
}

static void save(uint64_t low, uint32_t state)
{
    struct qn_call_stack *s = current;
    uint32_t i = qn_arena->calls.current;

    if (!s)
        return;
    qn_drain_logs();
    for (uint32_t k = 0; k <= QN_SUMS_ANY; k++)
        s->totals[k] = sums[k];
    s->top = offset_of(top_frame());
    add_active(-1);
    s->low = low;
    s->base = stack_base();
    s->times = ++changes;
    s->used = state;
    spans[i].low = low;
    spans[i].base = s->base;
    spans[i].waits = state == WAITS;
}

static void close_if_old(void)
{
    uint32_t i = qn_arena->calls.current;

    if (made_in[i] == generation)
        return;
    made_in[i] = generation;
    close_all();
    qn_ctx.called = 0;
}

static void load(uint32_t i)
{
    struct qn_call_stack *s = stack(i);

    for (uint32_t k = 0; k <= QN_SUMS_ANY; k++)
        sums[k] = s->totals[k];
    s->used = RUNS;
    spans[i].waits = false;
    qn_arena->calls.current = i;
    current = s;
    set_top(frame(s->top));
    add_active(1);
    close_if_old();
}

/* The coroutine that was left first; 0: there is none. */
static uint32_t oldest(void)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < qn_arena->calls.stacks; i++)
        if (spans[i].waits && (!found || stack(i)->times < stack(found)->times))
            found = i;
    return found;
}

/* The running stack is saved. */
static void make_room(uint32_t i)
{
    uint32_t running = qn_arena->calls.current;

    load(i);
    close_all();
    save(0, FREE);
    give_back(&current->first);
    qn_arena->calls.lost_stacks++;
    qn_arena->calls.current = running;
}

/* A new stack with counts of 0, which does not run yet; 0: there is no room.  No stack may be running. */
static uint32_t new_stack(void)
{
    uint32_t i = 1;

    while (i < qn_arena->calls.stacks && stack(i)->used != FREE)
        i++;
    if (i == QN_CALL_STACKS_MAX) {
        i = oldest();
        if (!i)
            return 0;
        make_room(i);
    }
    if (i == qn_arena->calls.stacks)
        qn_arena->calls.stacks = i + 1;
    made_in[i] = generation;
    *stack(i) = (struct qn_call_stack){.used = RUNS};
    return i;
}

/* Ends the running stack.  Its counts outside of all frames are dropped. */
static void end(void)
{
    close_all();
    save(0, FREE);
    give_back(&current->first);
    current = NULL;
    qn_arena->calls.current = 0;
}

/* ---- threads, signals ---- */

static void thread(struct qn_thread *t)
{
    if (!sums || (current && t->calls_stack == qn_arena->calls.current))
        return;
    save(qn_ctx.gpr[QN_RSP], RUNS);
    if (!t->calls_stack) {
        t->calls_stack = new_stack();
        qn_ctx.called = 0;
    }
    load(t->calls_stack ? t->calls_stack : qn_arena->calls.current);
}

static void thread_end(void)
{
    if (!sums)
        return;
    while (current->interrupted) {
        uint32_t below = current->interrupted;

        end();
        load(below);
    }
    root_here();
    end();
    qn_self->calls_stack = 0;
}

static void run(uint32_t i)
{
    load(i);
    qn_self->calls_stack = qn_arena->calls.current;
}

static void interrupt(uint64_t sp)
{
    uint32_t below = qn_arena->calls.current, called = qn_ctx.called, i;

    if (!sums || !counting)
        return;
    save(sp, INTERRUPTED);
    i = new_stack();
    run(i ? i : below);
    qn_ctx.called = 0;
    if (!i)
        return;
    current->interrupted = below;
    current->called = called;
}

static void leave_handler(void)
{
    uint32_t below = current->interrupted;

    end();
    run(below);
}

static void sigreturn(void)
{
    uint32_t called;

    if (!sums || !current->interrupted)
        return;
    called = current->called;
    leave_handler();
    qn_ctx.called = called;
}

/* ---- coroutines ---- */

static bool lies_in(uint64_t sp, uint64_t low, uint64_t base) { return sp + SLACK >= low && sp <= base + SLACK; }

/* The waiting stack that sp lies on, the smallest; 0: none. */
static uint32_t find_waiting(uint64_t sp)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < qn_arena->calls.stacks; i++)
        if (spans[i].waits && lies_in(sp, spans[i].low, spans[i].base) &&
            (!found || spans[i].base - spans[i].low < spans[found].base - spans[found].low))
            found = i;
    return found;
}

static void change_to(uint32_t i, uint64_t old)
{
    bool fresh = !i;
    uint32_t running = qn_arena->calls.current;

    save(old, WAITS);
    if (fresh)
        i = new_stack();
    run(i ? i : running);
    current->fresh = fresh && i;
}

/* A handler that is left by longjmp: sp lies on the stack that it came to. */
static bool leaves_handler(uint64_t sp)
{
    const struct qn_call_stack *below;

    if (!current->interrupted)
        return false;
    below = stack(current->interrupted);
    return sp >= below->low && sp <= below->base + SLACK && !(has_top() && sp <= stack_base());
}

static QN_NCSR void moved(void)
{
    uint64_t sp = qn_ctx.guest_sp, old = qn_ctx.calls_old, base;
    uint32_t waiting;

    if (!qn_ctx.calls_sp || QN_LIKELY(sp >= old && sp <= qn_ctx.calls_sp)) /* room of the running function's is given back */
        return;
    qn_drain_logs();
    waiting = find_waiting(sp);
    base = stack_base();
    if (waiting && !(sp >= old && sp <= base))
        change_to(waiting, old);
    else if (leaves_handler(sp))
        while (leaves_handler(sp))
            leave_handler();
    else if (sp < old || sp > base + SLACK)
        change_to(0, old);
    left_edge = pop_below(sp);
}

/* ---- the process: its start, what is counted, its end ---- */

static void start(const struct qn_config *c)
{
    struct qn_call_head *h = &qn_arena->calls;

    columns = QN_COST_EVENTS + qn_arena->sim_output.events;
    qn_arena->n_counters = qn_round_up(qn_arena->n_counters + 1, 8);
    h->sums = (uint32_t)qn_arena->n_counters;
    qn_arena->n_counters += COUNTERS;
    sums = (int64_t *)qn_arena_counters() + h->sums;
    qn_sim_sums = sums;
    qn_sim_event_of = qn_sim_event_of ? qn_sim_event_of : qn_engine_alloc_low(QN_ARENA_COUNTERS_SIZE / 8);
    h->columns = columns;
    h->functions = h->edges = h->frames = h->nodes = h->stacks = 1;
    frame_bytes = (uint32_t)qn_call_frame_bytes(columns);
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        if (!qn_call_is_rare(k) && (k == QN_COST_IR || (k < QN_COST_BC ? c->cache_sim : c->branch_sim)))
            frequent[n_frequent++] = (uint8_t)k;
    frame(0)->rare = -1;
    qn_calls_rows_init();
    run(new_stack());
}

static void configure(struct qn_emit_hooks *h)
{
    h->call_enter = entered;
    h->call_return = returned;
    h->call_move = moved;
}

static void rules(struct qn_emit_rules *r, unsigned mode)
{
    (void)mode;
    if (!r->counts)
        return;
    r->sums = (uintptr_t)sums;
    r->calls = emitted_calls();
}

static void centre(const struct qn_block_rec *b, uint32_t end)
{
    for (uint32_t at = b->misses; at < end && b->region == QN_REGION_ASIDE; at++)
        qn_sim_event_of[at] = QN_CALL_ASIDE;
}

static void undone(const struct qn_block_rec *b, unsigned insn)
{
    int64_t sum[QN_COST_EVENTS] = {0};

    if (b->region == QN_REGION_ASIDE)
        return;
    qn_arena_add_executed(qn_arena_descs(b) + insn, b->ninsns - insn, 1, sum);
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        sums[k] -= sum[k];
}

static void finish(void)
{
    if (sums && current && counting)
        root_here();
}

static void count(bool on)
{
    if (!sums || on == counting)
        return;
    counting = on;
    if (!on) {
        root_here();
        generation++;
        close_if_old();
    }
    qn_ctx.called = 0;
}

const struct qn_slice qn_calls_slice = {.configure = configure, .start = start, .finish = finish, .counting = count, .rules = rules,
                                        .code = qn_probes_learn, .learn = qn_calls_learn, .begins = qn_calls_begins, .counted = qn_calls_mark, .centre = centre,
                                        .arrives = qn_calls_arrives, .undone = undone, .thread = thread, .thread_end = thread_end, .signal = interrupt, .sigreturn = sigreturn};
