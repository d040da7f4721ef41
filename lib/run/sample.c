/* lib/run/sample.c - which instructions are observed: all, or windows of N out of every M, at random.
 *
 *   rest    the program runs without being counted, in a home of its own (space.c), at run-only speed but for the countdowns
 *   skip    a few instructions more, in another one, which counts them down to where the window begins
 *   watch   the window: code that comes back before each instruction, so that N of them can be observed (watch.c)
 *
 * Each instruction is to begin a window with the same probability, 1/M.  To count the instructions of every block down to the
 * next window would cost a chain of subtractions through one word, two to three times the run itself.  So nothing is
 * counted: chance has no memory.  Only blocks through which every cycle of the program leads, anchors, have a countdown, each
 * its own: how many times it will be executed until, with a probability of L/M each time, it starts a window.  The window
 * then begins k instructions later, k drawn from 0 to L - 1; if another anchor comes before, there is none.  So an instruction
 * i < L instructions behind an anchor begins a window with the probability L/M * 1/L.  L has to be longer than the way
 * from this anchor to the next: one of eight windows is not observed but looks whether it is, and if not doubles L.
 *
 * An anchor ends with a branch backwards, or with an indirect jump or call: there is no cycle without one but by returns,
 * which end as soon as the calls do.  It counts where that costs least, at its entry or behind the branch (emit/sample.c).
 * Code of `skip` leaves at the same places.
 *
 * Where a window begins or ends within a block, the other instructions of the block are executed singly, too, and not observed: so
 * there is one translation of it, which the next window there finds.
 *
 * For small M (below SMALL) nearly every block would be on its way to a window: then nothing rests, and one window begins in
 * each period of M instructions, at a place that is drawn.
 *
 * A repeated string instruction is one instruction here.
 */
#include "run/sample.h"

#include "run/run.h"
#include "run/space.h"
#include "run/tally.h"
#include "run/watch.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define SMALL 8192u       /* M */
#define LENGTH_MIN 16u    /* L at first: a few blocks */
#define LENGTH_MAX 4096u  /* below SMALL */
#define PROBES 8u         /* one window of so many looks whether L is long enough */
#define LN2 0xb17217f7ull /* of 2^32 */

bool qn_sample_steps;
int64_t qn_sample_skip;

static enum state { ALL, REST, SKIP, WATCH } state;
static uint64_t every, wanted; /* M, N; M 0: all */
static uint64_t left;          /* WATCH: instructions to observe */
static bool probing;
static uint32_t anchor;        /* SKIP: whose countdown came to its end */
static uint64_t anchor_length; /* its L */
static uint64_t period_left;   /* small M: behind the window */
static bool first;             /* of the window */
static bool observes;          /* the instruction that runs */
static uint64_t stepped;       /* its address */
static struct qn_thread *watched; /* observed last */
static uint64_t random_state;

static uint32_t *countdowns;   /* by anchor, side by side, within reach of emitted code */
static struct anchor {
    uint32_t block;            /* index in the code cache */
    uint16_t length;           /* its L */
} *anchors;
static uint32_t *anchor_of;    /* by block: number of the anchor + 1, which whatever has this index later takes over; 0 = none yet */
static uint32_t nanchors;

static uint32_t draw(uint64_t n) { return sim_random_below(&random_state, (uint32_t)n); }

static void enter(enum state next)
{
    state = next;
    qn_sample_steps = next == ALL || next == WATCH;
}

static bool small(void) { return every < SMALL; }

bool qn_sample_has_anchors(void) { return every && !small(); }

static void begin_window(void)
{
    left = wanted;
    first = true;
    enter(WATCH);
}

/* The next window of a period of M instructions; there are `period_left` to go to its end. */
static void next_period(void)
{
    uint64_t begin = draw(every - wanted + 1);

    qn_sample_skip = (int64_t)(period_left + begin);
    period_left = every - wanted - begin;
    enter(SKIP);
}

static void end_window(void)
{
    if (small())
        next_period();
    else
        enter(REST);
}

void qn_sample_init(void)
{
    const struct qn_config *c = qn_cfg();

    if (!c->observes)
        return;
    wanted = c->sample_count;
    every = c->sample_of > wanted ? c->sample_of : 0;
    random_state = sim_random_seed(c->seed ^ 0x73616d706c65ull); /* not the numbers that modules draw */
    first = true;
    if (!every) {
        enter(ALL);
    } else if (small()) {
        next_period();
    } else {
        countdowns = qn_engine_alloc_low(QN_TBLOCKS_MAX * sizeof *countdowns);
        anchors = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *anchors);
        anchor_of = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *anchor_of);
        enter(REST);
    }
}

unsigned qn_sample_home(unsigned home)
{
    if (home == QN_HOME_OFF || !qn_cfg()->observes)
        return home;
    return state == REST ? QN_HOME_REST : state == SKIP ? QN_HOME_SKIP : home;
}

/* ---- countdowns ---- */

#define LOG_BITS 20u

/* -ln u for u equally likely between 0 and 1, with 16 fractional bits: the logarithm to base 2 bit by bit, by squaring. */
static uint64_t draw_exponential(void)
{
    uint64_t u = sim_random_next(&random_state) | 1, log = 0;
    unsigned zeros = (unsigned)__builtin_clzll(u);

    u <<= zeros;
    for (unsigned bit = 32; bit-- > 32 - LOG_BITS;) {
        unsigned __int128 square = (unsigned __int128)u * u;

        u = (uint64_t)(square >> 64);
        if (u >> 63)
            log |= 1ull << bit;
        else
            u = (uint64_t)(square >> 63);
    }
    return (((uint64_t)(zeros + 1) << 32) - log) * (LN2 >> 8) >> 40;
}

/* Times until an event that has the probability length/M, and the probes, each time. */
static uint32_t draw_countdown(uint64_t length)
{
    uint64_t times = (draw_exponential() * every / length * (PROBES - 1) / PROBES >> 16) + 1;

    return times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
}

uint64_t qn_sample_countdown(uint32_t index)
{
    uint32_t a;

    if (!anchor_of[index])
        anchor_of[index] = ++nanchors;
    a = anchor_of[index] - 1;
    anchors[a] = (struct anchor){index, LENGTH_MIN};
    countdowns[a] = draw_countdown(LENGTH_MIN);
    return (uint64_t)(uintptr_t)&countdowns[a];
}

/* The block of an anchor that counts at its entry is entered again, as a variant, which is none. */
unsigned qn_sample_begin(void)
{
    anchor = (uint32_t)((uint32_t *)(uintptr_t)qn_ctx.exit_id - countdowns);
    anchor_length = anchors[anchor].length;
    countdowns[anchor] = draw_countdown(anchor_length);
    probing = draw(PROBES) == 0;
    qn_sample_skip = probing ? (int64_t)anchor_length : draw(anchor_length);
    enter(SKIP);
    return qn_tcache_block(anchors[anchor].block)->anchor ? QN_BLOCK_MAX : 0;
}

void qn_sample_met_anchor(void) { enter(REST); }

/* So many instructions lay behind the anchor, and no other one: its L is too small. */
static void lengthen(void)
{
    if (anchors[anchor].length == anchor_length && anchor_length < LENGTH_MAX)
        anchors[anchor].length = (uint16_t)(2 * anchor_length);
    enter(REST);
}

unsigned qn_sample_arrive(void)
{
    if (probing && !small())
        lengthen();
    else
        begin_window();
    return 0;
}

/* ---- instruction by instruction ---- */

static void before_step(void)
{
    if (state == SKIP && !qn_sample_skip)
        begin_window();
    observes = state == ALL || (state == WATCH && !qn_sample_skip);
    stepped = qn_ctx.rip;
    if (observes)
        qn_watch_before(first || qn_self != watched);
}

static void after_observed(void)
{
    if (!qn_watch_after())
        return;
    first = false;
    watched = qn_self;
    if (state == WATCH && --left == 0)
        end_window();
}

static void after_step(void)
{
    if (observes) {
        after_observed();
        return;
    }
    qn_tally_end();
    if (qn_sample_skip && state != REST && qn_watch_went_to(stepped, 1))
        qn_sample_skip--;
}

bool qn_sample_before(void)
{
    if (qn_region_home() == QN_HOME_OFF)
        return false;
    before_step();
    return true;
}

void qn_sample_after(void)
{
    after_step();
    while (qn_ctx.exit_kind == QN_EXIT_STEP) {
        before_step();
        qn_ctx.exit_kind = QN_EXIT_SIGNAL;
        qn_enter(&qn_self->pending);
        after_step();
    }
    qn_tally_end();
}
