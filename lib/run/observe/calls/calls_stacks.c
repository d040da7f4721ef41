/* lib/run/observe/calls/calls_stacks.c - --calls: switches between stacks of frames.
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
#include "run/observe/calls/calls_stacks.h"

#include "run/observe/calls/calls.h"
#include "run/run.h"
#include "sim/contract.h"

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

static struct qn_call_head *head(void) { return &qn_arena->calls; }

static struct qn_call_stack *stack(uint32_t i)
{
    return (struct qn_call_stack *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_STACKS_OFF) + i;
}

_Static_assert(QN_CALL_STACKS_MAX * sizeof(struct qn_call_stack) <= QN_CALL_STACKS_SIZE, "call_records.h");

/* ---- changes ---- */

/* Updates which functions are active: those of the running stack. */
static void add_active(int by)
{
    for (const struct qn_call_frame *f = calls_top(); calls_offset(f); f = calls_frame(f->below))
        *(uint32_t *)(uintptr_t)f->active += (uint32_t)by;
}

static void save(uint64_t low, uint32_t state)
{
    struct qn_call_stack *s = calls_current;
    uint32_t i = head()->current;

    if (!s)
        return;
    calls_settle();
    for (uint32_t k = 0; k <= QN_SUMS_ANY; k++)
        s->totals[k] = calls_sums[k];
    s->top = calls_offset(calls_top());
    add_active(-1);
    s->low = low;
    s->base = calls_base();
    s->times = ++changes;
    s->used = state;
    spans[i].low = low;
    spans[i].base = s->base;
    spans[i].waits = state == WAITS;
}

static void close_if_old(void)
{
    uint32_t i = head()->current;

    if (made_in[i] == generation)
        return;
    made_in[i] = generation;
    calls_close();
    qn_ctx.called = 0;
}

static void load(uint32_t i)
{
    struct qn_call_stack *s = stack(i);

    for (uint32_t k = 0; k <= QN_SUMS_ANY; k++)
        calls_sums[k] = s->totals[k];
    s->used = RUNS;
    spans[i].waits = false;
    head()->current = i;
    calls_current = s;
    calls_show_top(s->top);
    add_active(1);
    close_if_old();
}

/* The coroutine that was left first; 0: there is none. */
static uint32_t oldest(void)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < head()->stacks; i++)
        if (spans[i].waits && (!found || stack(i)->times < stack(found)->times))
            found = i;
    return found;
}

/* The running stack is saved. */
static void make_room(uint32_t i)
{
    uint32_t current = head()->current;

    load(i);
    calls_close();
    save(0, FREE);
    calls_give_back(&calls_current->first);
    head()->lost_stacks++;
    head()->current = current;
}

/* A new stack with counts of 0, which does not run yet; 0: there is no room.  No stack may be running. */
static uint32_t new_stack(void)
{
    uint32_t i = 1;

    while (i < head()->stacks && stack(i)->used != FREE)
        i++;
    if (i == QN_CALL_STACKS_MAX) {
        i = oldest();
        if (!i)
            return 0;
        make_room(i);
    }
    if (i == head()->stacks)
        head()->stacks = i + 1;
    made_in[i] = generation;
    *stack(i) = (struct qn_call_stack){.used = RUNS};
    return i;
}

/* Ends the running stack.  Its counts outside of all frames are dropped. */
static void end(void)
{
    calls_close();
    save(0, FREE);
    calls_give_back(&calls_current->first);
    calls_current = NULL;
    head()->current = 0;
}

void calls_stacks_init(void)
{
    load(new_stack());
    qn_self->calls_stack = head()->current;
}

/* ---- threads, signals ---- */

void qn_calls_thread(struct qn_thread *t)
{
    if (!calls_sums || (calls_current && t->calls_stack == head()->current))
        return;
    save(qn_ctx.gpr[QN_RSP], RUNS);
    if (!t->calls_stack) {
        t->calls_stack = new_stack();
        qn_ctx.called = 0;
    }
    load(t->calls_stack ? t->calls_stack : head()->current);
}

void qn_calls_thread_end(void)
{
    if (!calls_sums)
        return;
    while (calls_current->interrupted) {
        uint32_t below = calls_current->interrupted;

        end();
        load(below);
    }
    calls_root_here();
    end();
    qn_self->calls_stack = 0;
}

static void run(uint32_t i)
{
    load(i);
    qn_self->calls_stack = head()->current;
}

void qn_calls_signal(uint64_t sp)
{
    uint32_t below = head()->current, called = qn_ctx.called, i;

    if (!calls_sums || !counting)
        return;
    save(sp, INTERRUPTED);
    i = new_stack();
    run(i ? i : below);
    qn_ctx.called = 0;
    if (!i)
        return;
    calls_current->interrupted = below;
    calls_current->called = called;
}

static void leave_handler(void)
{
    uint32_t below = calls_current->interrupted;

    end();
    run(below);
}

void qn_calls_sigreturn(void)
{
    uint32_t called;

    if (!calls_sums || !calls_current->interrupted)
        return;
    called = calls_current->called;
    leave_handler();
    qn_ctx.called = called;
}

/* ---- coroutines ---- */

static bool lies_in(uint64_t sp, uint64_t low, uint64_t base) { return sp + SLACK >= low && sp <= base + SLACK; }

/* The waiting stack that sp lies on, the smallest; 0: none. */
static uint32_t find_waiting(uint64_t sp)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < head()->stacks; i++)
        if (spans[i].waits && lies_in(sp, spans[i].low, spans[i].base) &&
            (!found || spans[i].base - spans[i].low < spans[found].base - spans[found].low))
            found = i;
    return found;
}

static void change_to(uint32_t i, uint64_t old)
{
    bool fresh = !i;
    uint32_t current = head()->current;

    save(old, WAITS);
    if (fresh)
        i = new_stack();
    run(i ? i : current);
    calls_current->fresh = fresh && i;
}

/* A handler that is left by longjmp: sp lies on the stack that it came to. */
static bool leaves_handler(uint64_t sp)
{
    const struct qn_call_stack *below;

    if (!calls_current->interrupted)
        return false;
    below = stack(calls_current->interrupted);
    return sp >= below->low && sp <= below->base + SLACK && !(calls_has_top() && sp <= calls_base());
}

QN_NCSR void qn_calls_move(void)
{
    uint64_t sp = qn_ctx.guest_sp, old = qn_ctx.calls_old, base;
    uint32_t waiting;

    if (!qn_ctx.calls_sp || QN_LIKELY(sp >= old && sp <= qn_ctx.calls_sp)) /* room of the running function's is given back */
        return;
    calls_settle();
    waiting = find_waiting(sp);
    base = calls_base();
    if (waiting && !(sp >= old && sp <= base))
        change_to(waiting, old);
    else if (leaves_handler(sp))
        while (leaves_handler(sp))
            leave_handler();
    else if (sp < old || sp > base + SLACK)
        change_to(0, old);
    calls_left = calls_pop_below(sp);
}

/* ---- room ---- */

bool calls_reclaim(void)
{
    bool any = false;

    for (uint32_t i = 1; i < head()->stacks; i++) {
        struct qn_call_frame *top = i == head()->current ? calls_top() : calls_frame(stack(i)->top);
        uint64_t *above = calls_offset(top) ? &top->above : &stack(i)->first;

        any |= *above != 0;
        calls_give_back(above);
    }
    return any;
}

/* ---- on and off ---- */

void qn_calls_finish(void)
{
    if (calls_sums && calls_current && counting)
        calls_root_here();
}

void qn_calls_counting(bool on)
{
    if (!calls_sums || on == counting)
        return;
    counting = on;
    if (!on) {
        calls_root_here();
        generation++;
        close_if_old();
    }
    qn_ctx.called = 0;
}
