/* lib/run/observe/calls/calls_frames.c - --calls: pushes and pops frames of the running stack, and adds their costs to edges and contexts.
 *
 *   push    takes the frame above the top, or a new one, and stores the running totals in it
 *   pop     adds the difference since the push to the row of the edge, and with --calls=paths to that of the context
 *
 * Emitted code does most of this (emit/calls_stub.c), with the same records.
 */
#include "run/observe/calls/calls.h"
#include "run/observe/calls/calls_stacks.h"
#include "run/run.h"
#include "sim/contract.h"

static uint64_t free_frames;   /* address of the first of those that no stack has; the next is above it */
static uint32_t columns, frame_bytes;
static uint8_t frequent[QN_COST_EVENTS]; /* of the events that are counted those that qn_call_is_rare does not name */
static uint32_t n_frequent;

static struct qn_call_head *head(void) { return &qn_arena->calls; }

static struct qn_call_function *function(uint32_t i)
{
    return (struct qn_call_function *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_FUNCTIONS_OFF) + i;
}

static int64_t *counts_of_frame(struct qn_call_frame *f) { return (int64_t *)(f + 1); }
static int64_t *counts_of_edge(struct qn_call_edge *e, bool active) { return (int64_t *)(e + 1) + (active ? columns : 0); }
static int64_t *counts_of_node(uint32_t i) { return (int64_t *)(qn_calls_node(i) + 1); }

static void choose_frequent(const struct qn_config *c)
{
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        if (!qn_call_is_rare(k) && (k == QN_COST_IR || (k < QN_COST_BC ? c->cache_sim : c->branch_sim)))
            frequent[n_frequent++] = (uint8_t)k;
}

void calls_frames_init(void)
{
    columns = head()->columns;
    frame_bytes = (uint32_t)qn_call_frame_bytes(columns);
    choose_frequent(qn_cfg());
    calls_frame(0)->rare = -1;
}

static void set_top(struct qn_call_frame *f)
{
    calls_sums[QN_CALL_TOP] = (int64_t)(uintptr_t)f;
    qn_ctx.calls_sp = calls_offset(f) ? f->sp : 0;
}

void calls_show_top(uint32_t top) { set_top(calls_frame(top)); }

/* Has the top frame ended?  Then the stack pointer is above its return address. */
static bool is_left(uint64_t sp) { return qn_ctx.calls_sp < sp && calls_has_top(); }

void calls_give_back(uint64_t *chain)
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
    bool full = head()->frames > qn_cfg()->calls_depth || (head()->frames + 1ull) * frame_bytes > QN_CALL_FRAMES_SIZE;

    if (!free_frames && full && !calls_reclaim())
        return NULL;
    if (!free_frames)
        return calls_frame(head()->frames++ * frame_bytes);
    f = (struct qn_call_frame *)(uintptr_t)free_frames;
    free_frames = f->above;
    return f;
}

/* The frame above the top one; NULL: there is no room. */
static struct qn_call_frame *take_frame(void)
{
    struct qn_call_frame *top = calls_top(), *f;
    uint64_t *above = calls_has_top() ? &top->above : &calls_current->first;

    if (QN_LIKELY(*above))
        return (struct qn_call_frame *)(uintptr_t)*above;
    f = new_frame();
    if (!f) {
        head()->lost_frames++;
        return NULL;
    }
    f->below = calls_offset(top);
    f->under = (uintptr_t)top;
    f->above = 0;
    *above = (uintptr_t)f;
    return f;
}

/* The context of a call: a child of the context of the frame below.  If the function is already active, the context that it has there. */
static uint32_t node_of(const struct qn_call_frame *f, uint32_t called)
{
    uint32_t below = f->below ? calls_frame(f->below)->node : 0;

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
        f->node = calls_frame(f->below)->node;
}

/* The frequent ones among them are what they are, too. */
QN_NCSR void qn_calls_note_rare(void)
{
    struct qn_call_frame *f = calls_top();
    int64_t *to = counts_of_frame(f);
    const int64_t *from = calls_sums;

    f->owner = calls_offset(f);
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
        f->owner = calls_offset(f);
        for (uint32_t k = 0; k < columns; k++)
            counts_of_frame(f)[k] = calls_current->closed[k];
        return;
    }
    f->rare = calls_sums[QN_SUMS_ANY];
    f->owner = calls_frame(f->below)->owner;
    for (uint32_t i = 0; i < n_frequent; i++)
        counts_of_frame(f)[frequent[i]] = calls_sums[frequent[i]];
    if (f->rare != calls_frame(f->below)->rare)
        qn_calls_note_rare();
}

void calls_push(uint32_t at, uint64_t sp)
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
    calls_current->fresh = 0;
    set_top(f);
    note_totals(f);
    if (qn_cfg()->calls == QN_CALLS_PATHS)
        note_node(f, e->function);
}

/* to += factor * what was counted since the frame was entered */
static inline void add_rare(int64_t *to, const struct qn_call_frame *f, int64_t factor)
{
    static const uint8_t misses[] = { QN_COST_I1MR, QN_COST_ILMR, QN_COST_D1MR, QN_COST_DLMR, QN_COST_D1MW, QN_COST_DLMW };
    const int64_t *since = counts_of_frame(calls_frame(f->owner));

    if (f->rare == calls_sums[QN_SUMS_ANY])
        return;
#pragma GCC unroll 6
    for (uint32_t i = 0; i < QN_ARRAY_LEN(misses); i++)
        to[misses[i]] += factor * (calls_sums[misses[i]] - since[misses[i]]);
    for (uint32_t k = QN_COST_EVENTS; k < columns; k++)
        to[k] += factor * (calls_sums[k] - since[k]);
}

static void add_since(int64_t *to, struct qn_call_frame *f, int64_t factor)
{
    for (uint32_t i = 0; i < n_frequent; i++)
        to[frequent[i]] += factor * (calls_sums[frequent[i]] - counts_of_frame(f)[frequent[i]]);
    add_rare(to, f, factor);
}

QN_NCSR void qn_calls_add_rare(void)
{
    struct qn_call_frame *f = calls_top();

    add_rare((int64_t *)(uintptr_t)f->row, f, 1);
}

/* A node's costs are its own: what is called from there has a node itself. */
static void add_to_nodes(struct qn_call_frame *f)
{
    add_since(counts_of_node(f->node), f, 1);
    add_since(counts_of_node(f->below ? calls_frame(f->below)->node : 0), f, -1);
}

static void pop(void)
{
    struct qn_call_frame *f = calls_top();

    add_since((int64_t *)(uintptr_t)f->row, f, 1);
    if (qn_cfg()->calls == QN_CALLS_PATHS)
        add_to_nodes(f);
    if (!f->below)
        for (uint32_t k = 0; k < columns; k++)
            calls_current->closed[k] = calls_sums[k];
    --*(uint32_t *)(uintptr_t)f->active;
    set_top(calls_frame(f->below));
}

/* The edge of the last frame that was popped; 0: none was. */
uint32_t calls_pop_below(uint64_t sp)
{
    uint32_t last = 0;

    while (is_left(sp)) {
        last = calls_top()->edge;
        pop();
    }
    return last;
}

void calls_close(void)
{
    while (calls_has_top())
        pop();
}

uint64_t calls_base(void)
{
    struct qn_call_frame *f = calls_top();

    while (f->below)
        f = calls_frame(f->below);
    return calls_offset(f) ? f->sp : 0;
}

/* ---- what emitted code does itself ---- */

static bool is_inline(void)
{
    /* Counts are what they are only where nothing is simulated later. */
    return calls_sums && qn_cfg()->calls == QN_CALLS_YES && !qn_sim_log_on && !qn_sim_branches.next;
}

const struct qn_emit_calls *qn_calls_emitted(void)
{
    static struct qn_emit_calls emitted;

    emitted = (struct qn_emit_calls){
        .edges = (uintptr_t)qn_calls_edge(0), .functions = (uintptr_t)function(0), .last = (uintptr_t)qn_calls_last, .left = (uintptr_t)&calls_left,
        .row = columns * (uint32_t)sizeof(int64_t), .events = frequent, .n_events = n_frequent,
        .note_rare = qn_calls_note_rare, .add_rare = qn_calls_add_rare,
    };
    return is_inline() ? &emitted : NULL;
}
