/* lib/run/observe/region.c - what counts for what: START and STOP, regions by name, functions given by --toggle.
 *
 *   BEGIN a      region 1: a
 *     BEGIN b    region 2: a/b
 *     END b      region 1
 *   END a        none
 *
 * A region is a path of names.  Each has a scope of translations and counters of its own (mode.c), so what is
 * counted belongs to exactly one path, the one that was open, and to change over costs a visit to the dispatcher and
 * two system calls, which read the request and the name.  To begin a region that is open already, at any depth, changes
 * nothing but that it has to be ended once more.  Regions are a thread's own; a new thread begins in the one in which it
 * was made.  START and STOP are the process's.
 *
 * With --separate-threads the outermost name of each path is the thread's: "thread 1/a/b".
 *
 * --toggle=FUNCTION counts from the first instruction of the function to its return: until a return or indirect jump
 * (longjmp, the unwinder), leaves the stack above the return address that it was entered with.  So recursion and
 * tail calls count, and nothing is written on the guest's stack.  Of a function that is chosen at run time (IFUNC) the
 * code that chooses counts, and from then on what it chose.  --toggle-collect, --dump-before, --dump-after and --zero-before
 * see their functions come and go the same way, and do what Callgrind does: of each function the outermost call.
 */

#include "base/format.h"
#include "cost/messages.h"
#include "decode/decode.h"
#include "run/observe/calls/calls.h"
#include "run/run.h"
#include "run/core/core.h"
#include "sim/explain.h"

#define TOGGLES (1u << QN_PROBE_TOGGLE | 1u << QN_PROBE_CHOOSER)

static bool collecting, decided; /* decided: at the start it is as --instr-at-start says */

static struct qn_region_state *state(void) { return &qn_self->regions; }
static bool is_inside(unsigned kinds, uint64_t pc);

/* ---- warnings: once each ---- */

static void warn(bool *said, const char *format, const char *name)
{
    char text[200];

    if (*said)
        return;
    *said = true;
    qn_format(text, sizeof text, format, name);
    qn_message_note(QN_MESSAGE_NOTE, text);
}

/* ---- paths ---- */

static const char *name_of(uint32_t region) { return qn_arena_text(qn_arena->region[region].name); }

static bool is_open(uint32_t region, const char *name)
{
    for (; region; region = qn_arena->region[region].parent)
        if (qn_streq(name_of(region), name))
            return true;
    return false;
}

static void warn_full(const char *name)
{
    static bool said;

    warn(&said, "region '%s': there are too many different ones; it counts for the one around it", name);
}

/* The region of this name inside another one, made if it is new; the outer one where there is no room. */
static uint32_t inner(uint32_t parent, const char *name)
{
    uint32_t n = qn_arena->n_regions ? qn_arena->n_regions : 1;

    for (uint32_t i = 1; i < n; i++)
        if (qn_arena->region[i].parent == parent && qn_streq(name_of(i), name))
            return i;
    if (n == QN_ARENA_REGIONS_MAX) {
        warn_full(name);
        return parent;
    }
    qn_arena->region[n].parent = parent;
    qn_arena->region[n].name = qn_arena_string(name);
    qn_arena->n_regions = n + 1;
    return n;
}

/* Names by number, so that what a thread has open stays small. */
static uint8_t number_of(const char *name)
{
    static char names[QN_ARENA_REGIONS_MAX][QN_REGION_NAME];
    static unsigned count;
    unsigned i = 0;

    while (i < count && !qn_streq(names[i], name))
        i++;
    if (i == count && count < QN_ARENA_REGIONS_MAX - 1)
        qn_format(names[count++], QN_REGION_NAME, "%s", name);
    return (uint8_t)i;
}

/* ---- begin and end ---- */

void qn_region_begin(const char *name)
{
    struct qn_region_state *s = state();

    if (qn_streq(qn_arena_text(qn_cfg()->watch_region), name))
        qn_explain_watch_now();
    if (s->depth == QN_REGION_DEPTH) {
        s->lost++;
        return;
    }
    s->open[s->depth].outer = (uint8_t)s->region;
    s->open[s->depth++].name = number_of(name);
    if (!is_open(s->region, name) && (s->region || !qn_cfg()->by_thread)) /* a thread without room for its own has no region */
        s->region = (uint16_t)inner(s->region, name);
}

/* Also ends those that were begun later and not ended. */
void qn_region_end(const char *name)
{
    static bool said_none, said_late;
    struct qn_region_state *s = state();
    uint8_t number = number_of(name);
    unsigned at = s->depth;

    if (s->lost) {
        s->lost--;
        return;
    }
    while (at > 0 && s->open[at - 1].name != number)
        at--;
    if (!at) {
        warn(&said_none, "the end of region '%s', which was not begun, is passed over", name);
        return;
    }
    if (at != s->depth)
        warn(&said_late, "the end of region '%s' ends others that were begun inside it", name);
    s->depth = (uint16_t)(at - 1);
    s->region = s->open[at - 1].outer;
}

void qn_region_inherit(struct qn_region_state *to, const struct qn_region_state *from)
{
    to->region = from->region;
    to->depth = 0;
    to->lost = 0;
    to->entered = 0;
    to->turned = false;
}

/* The region of this path in another thread. */
static uint32_t moved(uint32_t region, uint32_t number)
{
    uint32_t outer = region ? qn_arena->region[region].parent : 0;
    char name[QN_REGION_NAME];

    if (outer)
        return inner(moved(outer, number), name_of(region));
    qn_format(name, sizeof name, QN_REGION_THREAD "%u", number);
    return inner(0, name);
}

void qn_region_of_thread(struct qn_region_state *s, uint32_t number)
{
    if (qn_cfg()->by_thread)
        s->region = (uint16_t)moved(s->region, number);
}

/* ---- on and off ---- */

void qn_region_collect(bool on)
{
    collecting = on;
    decided = true;
}

bool qn_region_collects(void) { return decided ? collecting : qn_cfg()->instr_at_start; }

void qn_region_obey(void)
{
    uint32_t wish = qn_arena->wish;

    if (wish == QN_WISH_ZERO)
        qn_message_part(QN_PART_ZERO, "");
    else
        qn_region_collect(wish == QN_WISH_START);
    if (__atomic_compare_exchange_n(&qn_arena->wish, &wish, QN_WISH_NONE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) /* else there is another one */
        qn_sys3(__NR_futex, (long)&qn_arena->wish, 1 /* FUTEX_WAKE */, INT32_MAX);
}

/* The region itself, or the next one around it whose code has room. */
static uint32_t counted_as(uint32_t region)
{
    for (; !qn_mode_has_room(QN_SCOPE_ON + region); region = qn_arena->region[region].parent)
        warn_full(name_of(region));
    return region;
}

unsigned qn_region_scope(void)
{
    if (qn_region_collects() != state()->turned && (!qn_cfg()->toggle || is_inside(TOGGLES, 0)))
        return QN_SCOPE_ON + counted_as(state()->region);
    return qn_cfg()->aside ? QN_SCOPE_ASIDE : QN_SCOPE_OFF;
}

/* ---- functions that are watched ---- */

static bool is_inside(unsigned kinds, uint64_t pc)
{
    for (unsigned i = 0; i < state()->entered; i++)
        if ((state()->function[i].kinds & kinds) || state()->function[i].pc == pc)
            return true;
    return false;
}

/* A part of the run, or another beginning; the collector names the function, and the call that leads to it. */
static void divide(int what, uint64_t pc)
{
    char text[2 * 16 + 2];

    qn_format(text, sizeof text, "%lx %lx", pc, (uint64_t)(what == QN_PART_AFTER ? 0 : qn_calls_coming()));
    qn_message_part(what, text);
}

static void show_innermost(void)
{
    qn_ctx.toggle_sp = state()->entered ? state()->function[state()->entered - 1].sp : UINT64_MAX;
}

/* Control is at the entry of a function, rsp at its return address; it may have left the function before. */
static void enter(void)
{
    static bool said;
    uint64_t pc = qn_ctx.rip, sp = qn_ctx.gpr[QN_RSP];
    unsigned kinds = qn_arena->stats.dispatches > 1 ? qn_probes_triggers(pc) : 0; /* nobody has called the first one */

    qn_toggle_leave();
    if (qn_probes_toggle(pc) && !is_inside(TOGGLES, 0))
        kinds |= qn_probes_chooses(pc) ? 1u << QN_PROBE_CHOOSER : 1u << QN_PROBE_TOGGLE;
    if (!kinds || is_inside(0, pc))
        return;
    if (state()->entered == QN_ENTERED_MAX) {
        warn(&said, "%s: there are too many functions in each other", "--toggle-collect, --dump-before or the like");
        return;
    }
    state()->function[state()->entered++] = (struct qn_entered){sp, pc, kinds};
    show_innermost();
    if (kinds & 1u << QN_PROBE_DUMP_BEFORE)
        divide(QN_PART_BEFORE, pc);
    else if (kinds & 1u << QN_PROBE_ZERO_BEFORE)
        divide(QN_PART_ZERO_BEFORE, pc);
    state()->turned ^= (kinds & 1u << QN_PROBE_TURN) != 0;
}

static bool on_stack(const struct qn_stack *s, uint64_t sp) { return s->size && sp - s->sp < s->size; }

static void left(const struct qn_entered *f)
{
    if (f->kinds & 1u << QN_PROBE_DUMP_AFTER)
        divide(QN_PART_AFTER, f->pc);
    state()->turned ^= (f->kinds & 1u << QN_PROBE_TURN) != 0;
    if (f->kinds & 1u << QN_PROBE_CHOOSER)
        qn_probes_chosen(f->pc, qn_ctx.gpr[QN_RAX]);
}

/* A handler on an alternate stack may lie above; it is still inside. */
void qn_toggle_leave(void)
{
    const struct qn_stack *alt = &qn_self->altstack;
    uint64_t sp = qn_ctx.gpr[QN_RSP];

    while (state()->entered) {
        struct qn_entered f = state()->function[state()->entered - 1];

        if (sp <= f.sp || (on_stack(alt, sp) && !on_stack(alt, f.sp)))
            break;
        state()->entered--;
        left(&f);
    }
    show_innermost();
}

static unsigned act(uint32_t kind)
{
    if (kind == QN_EXIT_RETURN)
        qn_toggle_leave();
    if (kind != QN_EXIT_ENTER)
        return 0;
    enter();
    return qn_cfg()->triggers || qn_region_scope() == QN_SCOPE_OFF ? QN_VARIANT_INSIDE : 0;
}

static bool begins(uint64_t pc)
{
    return (qn_cfg()->toggle && qn_probes_toggle(pc)) || (qn_cfg()->triggers && qn_probes_triggers(pc));
}

static bool enters(uint64_t pc, unsigned mode)
{
    return (mode == QN_SCOPE_OFF && qn_cfg()->toggle && qn_probes_toggle(pc)) ||
           (!QN_VARIANT(mode) && qn_cfg()->triggers && qn_probes_triggers(pc));
}

static void rules(struct qn_emit_rules *r, unsigned mode) { r->leaves = mode != QN_SCOPE_OFF || qn_cfg()->triggers; }

const struct qn_slice qn_toggle_slice = {.rules = rules, .code = qn_probes_learn, .begins = begins, .enters = enters, .act = act};
