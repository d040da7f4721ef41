/* lib/run/sample.c - which instructions are observed: all, or windows of N out of every M, at random.
 *
 *   rest    the program runs without being counted, in a home of its own (space.c), at run-only speed but for the countdowns
 *   skip    a few instructions more, block by block, to where the window begins
 *   watch   the window: N instructions, each executed for itself and observed (watch.c)
 *   leave   instruction by instruction to where the code for `rest` has a block
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
 *
 * For small M (below SMALL) nearly every block would be on its way to a window: then code runs block by block, and one window
 * begins in each period of M instructions, at a place that is drawn.
 *
 * A repeated string instruction is one instruction here.
 */
#include "run/sample.h"

#include "run/run.h"
#include "run/space.h"
#include "run/watch.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define SMALL 8192u       /* M */
#define LENGTH_MIN 16u    /* L at first: a few blocks */
#define LENGTH_MAX 4096u  /* below SMALL */
#define PROBES 8u         /* one window of so many looks whether L is long enough */
#define LEAVE_MAX 64u     /* instructions */
#define ANYWHERE 1ull     /* no code lies there */
#define LN2 0xb17217f7ull /* of 2^32 */

bool qn_sample_steps;

static enum state { ALL, REST, SKIP, WATCH, LEAVE } state;
static uint64_t every, wanted; /* M, N; M 0: all */
static uint64_t left;          /* instructions: to skip, to observe */
static bool probing;
static uint32_t anchor;        /* SKIP: the block whose countdown came to its end */
static uint64_t anchor_length; /* its L */
static bool at_anchor;         /* that block comes next */
static uint64_t turned_to;     /* SKIP: the block that was run has a countdown behind its branch there; ANYWHERE; 0 = none */
static bool within;            /* SKIP: instruction by instruction from here on, which is no anchor */
static uint64_t going;         /* instructions of the block that runs */
static uint64_t stepped;       /* its address */
static uint64_t period_left;   /* small M: behind the window */
static bool first;             /* of the window */
static struct qn_thread *watched; /* observed last */
static uint64_t random_state;

static uint32_t *countdowns;   /* by block of the code cache, within reach of emitted code */
static uint16_t *lengths;

static uint64_t draw(uint64_t n) /* 0 .. n - 1, n below 2^32 */
{
    return (sim_random_next(&random_state) >> 32) * n >> 32;
}

static void enter(enum state next)
{
    state = next;
    qn_sample_steps = next != REST;
    within = false;
}

static bool small(void) { return every < SMALL; }

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

    left = period_left + begin;
    period_left = every - wanted - begin;
    enter(SKIP);
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
        lengths = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *lengths);
        enter(REST);
    }
}

unsigned qn_sample_home(unsigned home)
{
    if (home == QN_HOME_OFF || !qn_cfg()->observes)
        return home;
    return state == REST ? QN_HOME_REST : state == SKIP && !within ? QN_HOME_SKIP : home;
}

/* Has the block been executed?  (A fault takes back by itself what was counted.) */
static bool was_executed(void)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK:
    case QN_EXIT_IBL:
    case QN_EXIT_SYSCALL:
    case QN_EXIT_EMULATE:
    case QN_EXIT_FPU:
    case QN_EXIT_RETURN: return true;
    case QN_EXIT_SIGNAL: return qn_ctx.rip != stepped;
    default: return false;
    }
}

/* Code that runs instruction by instruction counts, so that there is one translation of it; what was not observed is taken back. */
static void uncount(void)
{
    uint32_t index = was_executed() ? qn_tcache_find(stepped, QN_SPACE(qn_space, 1)) : QN_NO_BLOCK;

    if (index != QN_NO_BLOCK && qn_tcache_block(index)->instrumented)
        qn_arena_counters()[qn_arena_block(qn_tcache_block(index)->record)->counter]--;
}

/* ---- countdowns ---- */

/* -ln u for u equally likely between 0 and 1, with 16 fractional bits: the logarithm to base 2 bit by bit, by squaring. */
static uint64_t draw_exponential(void)
{
    uint64_t u = sim_random_next(&random_state) | 1, log = 0;
    unsigned zeros = (unsigned)__builtin_clzll(u);

    u <<= zeros;
    for (unsigned bit = 32; bit-- > 0;) {
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
    lengths[index] = LENGTH_MIN;
    countdowns[index] = draw_countdown(LENGTH_MIN);
    return (uint64_t)(uintptr_t)&countdowns[index];
}

void qn_sample_begin(void)
{
    anchor = qn_ctx.exit_id;
    anchor_length = lengths[anchor];
    countdowns[anchor] = draw_countdown(anchor_length);
    probing = draw(PROBES) == 0;
    left = probing ? anchor_length : draw(anchor_length);
    at_anchor = qn_tcache_block(anchor)->anchor;
    turned_to = 0;
    enter(SKIP);
}

/* ---- block by block ---- */

/* So many instructions lay behind the anchor, and no other one: its L is too small. */
static void lengthen(void)
{
    if (lengths[anchor] == anchor_length && anchor_length < LENGTH_MAX)
        lengths[anchor] = (uint16_t)(2 * anchor_length);
    enter(LEAVE);
    left = LEAVE_MAX;
}

static void arrive(void)
{
    if (probing && !small())
        lengthen();
    else
        begin_window();
}

static void end_window(void)
{
    if (small()) {
        next_period();
        return;
    }
    left = LEAVE_MAX;
    enter(LEAVE);
}

static uint32_t find_block(unsigned space)
{
    uint32_t index;

    qn_space_choose(space);
    index = qn_tcache_find(qn_ctx.rip, space);
    return index == QN_NO_BLOCK ? qn_translate(qn_ctx.rip, space) : index;
}

/* Has the block that was run led through the end of a cycle, or is another one about to? */
static bool meets_anchor(const struct qn_tblock *b)
{
    bool turned = turned_to == ANYWHERE || (turned_to && turned_to == qn_ctx.rip);

    return turned || (b->anchor && !at_anchor);
}

static void expect_turn(const struct qn_tblock *b)
{
    turned_to = !b->turns ? 0 : b->nexits ? qn_texit_target(&b->exit[1]) : ANYWHERE;
}

/* On the way to the window: it is over because of an anchor, or the window begins at rip, or so many instructions of the block there
 * are to be run, 0 = all.  The code of REST knows where anchors are. */
static void skip_block(unsigned *at_most)
{
    uint32_t index = within ? QN_NO_BLOCK : find_block(small() ? QN_HOME_SKIP : QN_HOME_REST);
    const struct qn_tblock *b = index == QN_NO_BLOCK ? NULL : qn_tcache_block(index);

    if (b && !small() && meets_anchor(b)) {
        enter(REST);
        return;
    }
    if (!left) {
        arrive();
        return;
    }
    at_anchor = false;
    within = !b || b->ninsns > left;
    *at_most = within;
    going = within ? 1 : b->ninsns;
    if (b)
        expect_turn(b);
}

/* Has control come back to code that is there, or to the beginning of what will be a block? */
static bool may_rest(void)
{
    uint64_t rip = qn_ctx.rip;

    return !left-- || rip <= stepped || rip > stepped + QN_INSN_MAX_LEN || qn_tcache_find(rip, QN_HOME_REST) != QN_NO_BLOCK;
}

bool qn_sample_before(unsigned *at_most)
{
    if (qn_region_home() == QN_HOME_OFF)
        return false;
    *at_most = 1;
    if (state == SKIP)
        skip_block(at_most);
    if (state == LEAVE && may_rest())
        enter(REST);
    if (state == REST) {
        *at_most = 0;
        return false;
    }
    stepped = qn_ctx.rip;
    if (state == WATCH || state == ALL)
        qn_watch_before(first || qn_self != watched);
    return true;
}

static bool watch(void)
{
    bool done = qn_watch_after();

    first &= !done;
    watched = qn_self;
    return done;
}

void qn_sample_after(void)
{
    switch (state) {
    case ALL: watch(); break;
    case WATCH:
        if (watch() && --left == 0)
            end_window();
        break;
    case SKIP:
        left -= going;
        if (within)
            uncount();
        break;
    default: uncount(); break;
    }
}
