/* lib/run/observe/sample.c - chooses the instructions that are observed: all, or random windows, N out of every M.
 *
 *   rest    the program runs without counting, in a scope of its own (mode.c), at the speed of run-only except for the countdowns
 *   watch   the window: control leaves before each instruction, so that it can be observed (watch.c)
 *
 * Counting down for every instruction would be a chain of subtractions through one word, which takes two to three times as long as the
 * run itself.  So only some blocks, the anchors, have a countdown, each its own.  Every cycle of the program contains an anchor:
 *
 *   an anchor ends with a branch that goes back in the order of block/order.c (a loop, a recursive call), or with an indirect jump or call.
 *   A cycle without an anchor could only consist of returns, and these end with the calls.  (An unmatched return makes an anchor of its
 *   target, if that was not reached in another way before.)
 *   An anchor is passed at its end; if it ends with a conditional branch, mostly only if that is taken.
 *
 *   ---- way ----|---- way ----|-- way --|---- way ----|--- way ---          | an anchor is passed
 *       rest                 W   observed    observed        rest            N = 2
 *
 * At each anchor outside of windows, a window begins with the same probability, 1 / (M - N + 1), independently of the anchors before.  So
 * each anchor can draw in advance when this will happen, as a countdown.  The window ends at the N-th anchor after its beginning.  So there are
 * M - N ways on average between windows: of M ways N are observed, and every instruction is equally likely to be observed, whatever the
 * length of its way.
 *
 * The countdown is at the end of the block or at its entry, where it costs less (emit/sample.c).  At the end, the window begins at the
 * branch's target; at the entry, the block is executed first, without being observed, and the window begins at its end.
 *
 * A repeated string instruction is one instruction here.
 */
#include "run/observe/sample.h"

#include "base/sizes.h"
#include "block/block.h"
#include "run/run.h"
#include "run/core/core.h"
#include "run/observe/tally.h"
#include "run/observe/watch.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define ONE (1u << 16)    /* of a number with 16 fractional bits */
#define FLIPS_MAX 100u    /* below, draws are made one by one */
#define PREFETCHED 4u     /* lines of 64 bytes: the steps of five or six instructions */

bool qn_sample_steps, qn_sample_links, qn_sample_between;

static enum state { ALL, REST, WATCH } state;
static uint64_t every, wanted;    /* M, N; M 0: all */
static uint64_t left;             /* WATCH: ways to the window's end; more than N: the window has not begun yet */
static bool first;                /* the next observed instruction is the first of a window */
static bool observes;             /* the running instruction is observed */
static struct qn_step *step;      /* its data */
static struct qn_thread *watched; /* the thread that was observed last */
static const struct qn_steps *current; /* qn_sample_links: the block that runs, or that ran last since the dispatcher */
static uint64_t random_state;

static uint32_t *countdowns;      /* by anchor, side by side, within reach of emitted code */
static uint32_t *block_of;        /* by anchor: index in the code cache */
static uint32_t *anchor_of;       /* by block index: number of the anchor + 1, also for later blocks with this index; 0 = none yet */
static uint32_t nanchors;

static void enter(enum state next)
{
    state = next;
    qn_sample_steps = next != REST && !qn_sample_links;
}

bool qn_sample_has_anchors(void) { return every != 0; }

/* Was pc reached by an indirect jump or call, which is an anchor?  After a return, pc is still in memory below the stack pointer. */
static bool is_counted(uint64_t pc)
{
    uint64_t returned_to = ~pc;

    return qn_ctx.exit_kind == QN_EXIT_IBL && !(qn_read_guest(qn_ctx.gpr[QN_RSP] - 8, &returned_to, 8) && returned_to == pc);
}

enum qn_anchor qn_sample_anchor(const struct qn_block *b) { return every ? qn_block_anchor(b, is_counted) : QN_NO_ANCHOR; }

void qn_sample_init(void)
{
    const struct qn_config *c = qn_cfg();

    if (!c->observes)
        return;
    wanted = c->sample_count;
    every = c->sample_of > wanted ? c->sample_of : 0;
    random_state = sim_random_seed(c->seed ^ 0x73616d706c65ull); /* not the numbers that modules draw */
    first = true;
    qn_sample_links = !every && c->filter;
    enter(every ? REST : ALL);
    if (!every)
        return;
    countdowns = qn_engine_alloc_low(QN_TBLOCKS_MAX * sizeof *countdowns);
    block_of = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *block_of);
    anchor_of = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *anchor_of);
    qn_order_init(QN_ORDER_MAX);
}

unsigned qn_sample_scope(unsigned scope)
{
    return scope != QN_SCOPE_OFF && qn_cfg()->observes && state == REST ? QN_SCOPE_REST : scope;
}

/* ---- countdowns ---- */

static uint64_t draw_fraction(void) { return sim_random_next(&random_state) >> 32; }

/* -ln u, for u uniform between 0 and 1, with 16 fractional bits, by comparisons alone: numbers are drawn until one is not less than the one
 * before; if their count is odd, the first number is the fraction (J. von Neumann, Various techniques used in connection with random digits, 1951). */
static uint64_t draw_exponential(void)
{
    for (uint64_t whole = 0;; whole += ONE) {
        uint64_t fraction = draw_fraction(), least = fraction, next;
        bool odd = true;

        for (; (next = draw_fraction()) < least; least = next)
            odd = !odd;
        if (odd)
            return whole + (fraction >> 16);
    }
}

/* Does a window begin at the anchor that is passed? */
static bool begins(void) { return sim_random_below(&random_state, (uint32_t)(every - wanted + 1)) == 0; }

/* Anchors to be passed until one begins, itself included.  -1 / ln(1 - 1/k) is k - 1/2 for large k. */
static uint32_t draw_countdown(void)
{
    uint64_t k = every - wanted + 1, times = 1;

    if (k < FLIPS_MAX) {
        while (!begins())
            times++;
        return (uint32_t)times;
    }
    times += draw_exponential() * (2 * k - 1) >> 17;
    return times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
}

uint64_t qn_sample_countdown(uint32_t index)
{
    uint32_t a;

    if (!anchor_of[index])
        anchor_of[index] = ++nanchors;
    a = anchor_of[index] - 1;
    block_of[a] = index;
    countdowns[a] = draw_countdown();
    return (uint64_t)(uintptr_t)&countdowns[a];
}

static void begin_window(uint64_t ways)
{
    left = ways;
    first = true;
    enter(WATCH);
}

void qn_sample_begin(void)
{
    uint32_t a = (uint32_t)((uint32_t *)(uintptr_t)qn_ctx.exit_id - countdowns);

    countdowns[a] = draw_countdown();
    begin_window(wanted + !qn_tcache_block(block_of[a])->turns);
}

/* Has the block, which came back, passed an anchor at its end? */
static bool passed_anchor(const struct qn_tblock *b)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK: return b->anchor && !(b->turns && qn_watch_went_to(b->pc, 0) == b->pc + b->nbytes);
    case QN_EXIT_IBL:
    case QN_EXIT_RETURN:
    case QN_EXIT_SYSCALL:
    case QN_EXIT_EMULATE:
    case QN_EXIT_AFTER:
    case QN_EXIT_REQUEST: return b->anchor;
    default: return false;
    }
}

static void pass_anchor(void)
{
    if (--left)
        return;
    if (begins())
        begin_window(wanted);
    else
        enter(REST);
}

/* ---- instruction by instruction ---- */

static bool is_observed(void) { return state == ALL || left <= wanted; }

static void before_step(void)
{
    observes = is_observed();
    if (observes)
        qn_watch_before(step, first || qn_self != watched);
}

static void after_step(void)
{
    if (!observes || !qn_watch_after())
        return;
    first = false;
    watched = qn_self;
}

void qn_sample_before(uint32_t block)
{
    const struct qn_tblock *b = qn_tcache_block(block);

    observes = false;
    if (!b->ninsns)
        return;
    if (b->slots) {
        observes = is_observed();
        return;
    }
    step = qn_step_first(qn_steps_of(b));
    before_step();
}

/* Instructions of the block that have been completed, now that it has come back. */
static unsigned count_completed(const struct qn_tblock *b)
{
    struct qn_step *s = qn_step_first(qn_steps_of(b));
    uint64_t pc = b->pc;
    unsigned n = 0;

    if (qn_ctx.exit_kind != QN_EXIT_SIGNAL)
        return qn_watch_went_to(pc, 0) ? b->ninsns : 0;
    for (; n < b->ninsns && pc != qn_ctx.rip; n++, s = qn_step_next(s))
        pc += s->len;
    return n;
}

/* next: where it has gone on to, 0 = the exit tells. */
static void tell_block(const struct qn_steps *steps, unsigned done, uint64_t next)
{
    qn_watch_block(steps, done, next, first || qn_self != watched);
    first = false;
    watched = qn_self;
}

static void after_block(const struct qn_tblock *b)
{
    unsigned done = observes ? count_completed(b) : 0;

    if (!done)
        return;
    if (!b->instrumented)
        qn_tally_block(b->pc, done);
    tell_block(qn_steps_of(b), done, 0);
}

/* ---- from block to block ---- */

static void pass_on(uint64_t next) { tell_block(current, current->n, next); }

QN_NCSR void qn_sample_enters(void)
{
    const struct qn_steps *next = (const struct qn_steps *)(uintptr_t)qn_ctx.arg_aux;

    for (unsigned k = 0; k < PREFETCHED; k++) /* used when the block has run */
        __builtin_prefetch((const char *)next + k * 64);
    if (QN_LIKELY(current))
        pass_on(next->pc);
    current = next;
}

/* Has translated code come back before anything of the block at rip has run? */
static bool left_before(void)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_SIGNAL: return qn_sample_between;
    case QN_EXIT_BAD:
    case QN_EXIT_STALE:
    case QN_EXIT_INTERVAL:
    case QN_EXIT_REQUEST:
    case QN_EXIT_ENTER:
    case QN_EXIT_OBSERVE: return true;
    default: return false;
    }
}

void qn_sample_left(void)
{
    observes = true;
    if (current && left_before())
        pass_on(qn_ctx.rip);
    else if (current)
        after_block(qn_tcache_block(current->index));
    current = NULL;
    qn_sample_between = false;
}

/* ---- by itself ---- */

void qn_sample_after(uint32_t block)
{
    bool slots = qn_tcache_block(block)->slots;

    if (slots)
        after_block(qn_tcache_block(block));
    else
        after_step();
    while (qn_ctx.exit_kind == QN_EXIT_STEP) {
        qn_ctx.rip += step->len;
        step = qn_step_next(step);
        before_step();
        qn_ctx.exit_kind = QN_EXIT_SIGNAL;
        qn_enter(&qn_self->pending);
        after_step();
    }
    qn_tally_end(block);
    if (state == WATCH && passed_anchor(qn_tcache_block(block)))
        pass_anchor();
}
