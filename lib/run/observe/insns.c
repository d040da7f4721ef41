/* lib/run/observe/insns.c - observed instructions: what each of them does, for analysis modules (sim_insn in sim/module.h); all, or random windows.
 *
 *   401136: mov 0x8(%rdi),%eax    ->   result 42, reg rax; a read of 4 bytes at 7ffc10, 42
 *
 * Most blocks record what their instructions do (emit/observe.c), and the module gets it when they have come to their end.  Others are
 * executed in code that leaves for the dispatcher before each instruction (emit/observe.c), so that before and after it
 * all registers lie in qn_ctx: nothing else has to be emitted.  Addresses are worked out before, because it may change the registers
 * that they are made of; values are read after, when it is certain that the memory is there.
 *
 * Leaves out: accesses of masked, gathering and scattering instructions and of xsave, whose number only the run tells; results of
 * system calls and of what the engine runs itself; vector registers.
 */
#include "base/base.h"
#include "base/sizes.h"
#include "block/block.h"
#include "emit/emit.h"
#include "run/core/core.h"
#include "run/core/references/references.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "tcache/tcache.h"

/* ---- steps: what is known of an instruction before it runs ----
 *
 *   mov 0x8(%rdi),%eax    ->   4 bytes, goes on, result in eax, one access: 4 bytes at 8 + rdi
 *
 * They are worked out when the block is translated, and lie in front of its cold code: observed blocks run so rarely that each line of
 * memory that this takes is missing from all caches, those of the decoder's own code as well.
 */

struct step {
    void *memo;          /* of the analysis module */
    uint64_t kept;       /* the bits of the register that are the result, moved down if they are those of ah, ch, dh or bh; 0: there is none */
    struct {             /* as in struct sim_insn */
        uint8_t reg, flow, indirect, first, accesses;
    } what;
    uint8_t len;         /* bytes */
    bool high_half : 1;  /* the result is ah, ch, dh or bh */
    bool repeats : 1;    /* a repeated string instruction */
    bool xlat : 1;
    uint8_t bits;        /* bt m,r: the register that selects the bit, else QN_REG_NONE */
    uint8_t kind[SIM_ACCESSES_MAX];
    struct qn_mem access[];
};

/* In front of those of a block. */
struct steps {
    uint64_t pc;
    uint32_t index;      /* of the block in the code cache */
    uint32_t n;
};

/* Of a translated block that is left before each instruction, which has at least one. */
static inline struct steps *steps_of(const struct qn_tblock *b)
{
    return (struct steps *)(uintptr_t)qn_round_up(b->cold, QN_STEPS_ALIGN);
}

static inline struct step *first_step(const struct steps *steps) { return (struct step *)(uintptr_t)(steps + 1); }

static inline struct step *next_step(struct step *s) { return (struct step *)(void *)&s->access[s->what.accesses]; }

static bool moves_stack(const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (!in->mem[k].is_modrm && in->mem[k].base == QN_RSP)
            return true;
    return false;
}

/* The register whose value is its result, the lowest that it writes; SIM_NO_REG: none. */
unsigned qn_step_result(const struct qn_insn *in)
{
    uint32_t writes = in->writes;

    if (moves_stack(in))
        writes &= ~(1u << QN_RSP);
    if (in->attr & QN_ATTR_STRING)
        writes &= ~(1u << QN_RSI | 1u << QN_RDI | 1u << QN_RCX);
    return writes ? (unsigned)__builtin_ctz(writes) : SIM_NO_REG;
}

static uint8_t flow_of(enum qn_class cls)
{
    switch (cls) {
    case QN_CLS_JCC:
    case QN_CLS_LOOP:
    case QN_CLS_JRCXZ: return SIM_FLOW_COND;
    case QN_CLS_JMP:
    case QN_CLS_JMP_IND: return SIM_FLOW_JUMP;
    case QN_CLS_CALL:
    case QN_CLS_CALL_IND: return SIM_FLOW_CALL;
    case QN_CLS_RET: return SIM_FLOW_RETURN;
    default: return SIM_FLOW_ON;
    }
}

/* Of an instruction of 8 bits without REX, numbers 4 to 7 are ah, ch, dh and bh. */
static bool is_high_half(const struct qn_insn *in, unsigned r)
{
    unsigned rm = in->modrm_off && in->modrm >= 0xc0 ? in->modrm & 7 : SIM_NO_REG;
    unsigned other = in->modrm_off ? in->modrm >> 3 & 7 : in->opcode & 7;

    if (in->opsize != 1 || in->rex || in->encoding != QN_ENC_LEGACY || rm == r || other == r)
        return false;
    return rm == r + 4 || other == r + 4;
}

static void write_accesses(struct step *s, const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k)) {
            s->kind[s->what.accesses] = (uint8_t)qn_run_kind(in->mem[k].access);
            s->access[s->what.accesses++] = in->mem[k];
        }
}

_Static_assert(SIM_NO_REG == QN_NO_REG, "what emitted code writes down");
_Static_assert(sizeof(struct step) + sizeof ((struct qn_insn *)NULL)->mem <= QN_STEPS_MAX, "room in the cold code");
_Static_assert(sizeof(struct steps) <= QN_STEPS_FRAME, "and in front of all");

unsigned qn_step_write(const struct qn_block *b, uint8_t *to)
{
    uint8_t *p = to + sizeof(struct steps);

    *(struct steps *)(void *)to = (struct steps){b->pc, qn_tcache_next_index(), b->n};
    for (unsigned i = 0; i < b->n; i++) {
        struct step *s = (struct step *)(void *)p;
        const struct qn_insn *in = &b->insn[i];
        uint8_t reg = (uint8_t)qn_step_result(in);

        *s = (struct step){.kept = reg == SIM_NO_REG ? 0 : in->opsize == 1 ? UINT8_MAX : in->opsize == 2 ? UINT16_MAX : UINT64_MAX,
                              .what = {.reg = reg, .flow = flow_of((enum qn_class)in->cls),
                                       .indirect = in->cls == QN_CLS_JMP_IND || in->cls == QN_CLS_CALL_IND},
                              .len = in->len, .high_half = is_high_half(in, reg),
                              .repeats = qn_is_repeated(in),
                              .xlat = qn_is_xlat(in), .bits = in->attr & QN_ATTR_BT_REG ? in->reg & 15 : QN_REG_NONE};
        write_accesses(s, in);
        p = (uint8_t *)(uintptr_t)next_step(s);
    }
    return (unsigned)(p - to);
}

/* ---- step counts: observed instructions, by runs of them in a block ----
 *
 *   40113a, 40113e, 401142 observed     ->   the cost centre "3 instructions from 40113a" was executed once more
 *
 * Code that is left before each instruction counts nothing by itself.  Mostly the run is a whole block, which has a cost centre.  Of one
 * that ended by a fault, or has a repeated string instruction, the cost centre of a part is looked up by its code, as for
 * any block (translate.c); those used last are found by their address here.
 */

#define RECENT 16384u

static struct recent {
    uint64_t pc;
    uint32_t counter;
    uint16_t n, scope;
} *recent;
static uint64_t forgotten; /* they are as long as no code has been: it may have changed */

static uint64_t from; /* the run that is going on: its first instruction, and how many */
static unsigned going;

static uint32_t find_counter(uint64_t pc, unsigned n)
{
    unsigned scope = qn_region_scope();
    struct recent *r;

    if (!recent)
        recent = qn_engine_alloc(RECENT * sizeof *recent);
    r = &recent[((pc * 8 + n) * 0x9e3779b97f4a7c15ull >> 32) % RECENT];
    if (forgotten != qn_tcache_stats.forgotten)
        __builtin_memset(recent, 0, RECENT * sizeof *recent);
    forgotten = qn_tcache_stats.forgotten;
    if (r->pc != pc || r->n != n || r->scope != scope)
        *r = (struct recent){pc, qn_translate_centre(pc, n, scope).counter, (uint16_t)n, (uint16_t)scope};
    return r->counter;
}

static void end_run(uint32_t block)
{
    const struct qn_tblock *b = block == QN_NO_BLOCK ? NULL : qn_tcache_block(block);
    bool whole = b && b->pc == from && b->ninsns == going;

    if (going)
        qn_arena_counters()[whole ? qn_arena_block(b->record)->counter : find_counter(from, going)]++;
    going = 0;
}

static void count_block(uint64_t pc, unsigned n)
{
    from = pc;
    going = n;
}

static void count_insn(uint64_t pc)
{
    if (!going)
        from = pc;
    going++;
}

/* Its steps are counted in its cost centre. */
static void count_string(uint64_t pc, const uint64_t before[3])
{
    struct qn_cost_place place;

    end_run(QN_NO_BLOCK);
    place = qn_translate_centre(pc, 1, qn_region_scope());
    qn_arena_counters()[place.counter]++;
    __builtin_memcpy(qn_ctx.rep, before, 3 * sizeof *before);
    qn_ctx.saved_flags = (qn_ctx.rflags & 0xff) << 8; /* as lahf leaves them */
    qn_string_done(pc, place.record, 0, true);
}

/* ---- one instruction, before it runs ---- */

#define VALUE_BYTES 8u

static struct step *step;   /* of the running instruction */
static struct sim_insn seen;
static uint64_t rep_before[3]; /* rcx, rsi, rdi */

/* bt m,r: the register's bits above the operand's width select another operand. */
static uint64_t bit_offset(const struct qn_mem *m)
{
    int64_t bits;

    if (step->bits == QN_REG_NONE)
        return 0;
    bits = (int64_t)qn_ctx.gpr[step->bits];
    bits = m->size == 8 ? bits : m->size == 4 ? (int32_t)bits : (int16_t)bits;
    return (uint64_t)((bits >> qn_log2(m->size * 8u)) * m->size);
}

static void watch_before(bool first)
{
    uint64_t next = qn_ctx.rip + step->len, al = step->xlat ? qn_ctx.gpr[QN_RAX] & 0xff : 0;

    seen = (struct sim_insn){.pc = qn_ctx.rip, .memo = &step->memo, .first = first, .flow = step->what.flow, .indirect = step->what.indirect, .accesses = step->what.accesses};
    rep_before[0] = qn_ctx.gpr[QN_RCX];
    rep_before[1] = qn_ctx.gpr[QN_RSI];
    rep_before[2] = qn_ctx.gpr[QN_RDI];
    for (unsigned k = 0; k < step->what.accesses; k++) {
        const struct qn_mem *m = &step->access[k];

        seen.access[k] = (struct sim_access){.addr = qn_operand_at(m, next, al) + bit_offset(m), .size = m->size,
                                             .kind = step->kind[k]};
    }
}

/* ---- and after it has run ---- */

/* All steps of a repeated string instruction as one access; the direction flag lets it grow downwards. */
static void stretch_accesses(void)
{
    uint64_t steps = rep_before[0] - qn_ctx.gpr[QN_RCX];
    bool down = qn_ctx.rflags >> 10 & 1;

    if (!step->repeats)
        return;
    if (!steps || steps > UINT32_MAX / VALUE_BYTES)
        seen.accesses = 0;
    for (unsigned k = 0; k < seen.accesses; k++) {
        struct sim_access *a = &seen.access[k];

        a->addr -= down ? (steps - 1) * a->size : 0;
        a->size *= (uint32_t)steps;
    }
}

static uint64_t read_value(const struct sim_access *a)
{
    uint64_t value = 0;

    __builtin_memcpy(&value, (const void *)(uintptr_t)a->addr, a->size < VALUE_BYTES ? a->size : VALUE_BYTES);
    return value;
}

static uint64_t register_value(const struct step *s, uint64_t whole)
{
    return whole >> (s->high_half ? 8 : 0) & s->kept;
}

static uint64_t went_to(uint64_t pc, unsigned len)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK: return qn_texit_target(&qn_tcache_block(qn_ctx.exit_id / 2)->exit[qn_ctx.exit_id % 2]);
    case QN_EXIT_IBL:
    case QN_EXIT_SYSCALL:
    case QN_EXIT_AFTER:
    case QN_EXIT_RETURN: return qn_ctx.rip;
    case QN_EXIT_STEP:
    case QN_EXIT_EMULATE: return qn_ctx.rip + len;
    case QN_EXIT_SIGNAL: return qn_ctx.rip != pc ? qn_ctx.rip : 0;
    default: return 0;
    }
}

static bool watch_after(void)
{
    bool by_itself = qn_ctx.exit_kind != QN_EXIT_SYSCALL && qn_ctx.exit_kind != QN_EXIT_EMULATE;

    if (!(seen.next = went_to(seen.pc, step->len)))
        return false;
    if (step->repeats)
        count_string(seen.pc, rep_before);
    else
        count_insn(seen.pc);
    stretch_accesses();
    for (unsigned k = 0; k < seen.accesses; k++)
        seen.access[k].value = read_value(&seen.access[k]);
    seen.reg = by_itself ? step->what.reg : SIM_NO_REG;
    if (seen.reg != SIM_NO_REG)
        seen.result = register_value(step, qn_ctx.gpr[step->what.reg]);
    qn_sim_observe(&seen, 1);
    return true;
}

/* ---- a block that has recorded what its instructions did ---- */

_Static_assert(offsetof(struct sim_insn, accesses) - offsetof(struct sim_insn, reg) == offsetof(struct step, what.accesses) - offsetof(struct step, what) &&
                   offsetof(struct sim_insn, flow) == offsetof(struct sim_insn, reg) + 1 && offsetof(struct sim_insn, first) == offsetof(struct sim_insn, reg) + 3,
               "copied as they are");

/* The rest of what emitted code has written down. */
static inline void complete(struct sim_insn *to, struct step *s)
{
    to->memo = &s->memo;
    __builtin_memcpy(&to->reg, &s->what, sizeof s->what);
    to->result = register_value(s, to->result);
    for (unsigned k = 0; k < s->what.accesses; k++) {
        to->access[k].size = s->access[k].size;
        to->access[k].kind = s->kind[k];
    }
}

static void read_values(struct sim_insn *of)
{
    for (unsigned k = 0; k < of->accesses; k++)
        of->access[k].value = read_value(&of->access[k]);
}

/* Translated code has come back behind the block's last instruction: its result is in qn_ctx. */
static void take_returned(struct sim_insn *last, const struct step *s)
{
    bool by_itself = qn_ctx.exit_kind != QN_EXIT_SYSCALL && qn_ctx.exit_kind != QN_EXIT_EMULATE;

    last->next = went_to(last->pc, s->len);
    read_values(last);
    if (last->reg != SIM_NO_REG)
        last->result = register_value(s, qn_ctx.gpr[last->reg]);
    last->reg = by_itself ? last->reg : SIM_NO_REG;
}

/* What its last instruction did is not written down if that is a branch; then it has no result where another block has begun. */
static void watch_block(const struct steps *steps, unsigned done, uint64_t next, bool first)
{
    struct sim_insn *const all = qn_emit_trace;
    struct step *s = first_step(steps), *last = s;
    struct sim_insn *to = all;
    uint64_t pc = steps->pc;

    for (unsigned i = 0; i < done; i++, to++, s = next_step(s)) {
        complete(to, s);
        to->pc = pc;
        to->next = pc += s->len;
        last = s;
    }
    to--;
    all[0].first = first;
    if (done == steps->n && !next) {
        take_returned(to, last);
    } else if (done == steps->n) {
        to->next = next;
        if (to->flow != SIM_FLOW_ON)
            read_values(to);
    }
    qn_sim_observe(all, done);
}

/* ---- which instructions are observed: all, or random windows, N out of every M ----
 *
 *   rest    the program runs without counting, in a scope of its own (mode.c), at the speed of run-only except for the countdowns
 *   watch   the window: control leaves before each instruction, so that it can be observed
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
 * The countdown is at the end of the block or at its entry, where it costs less (emit/observe.c).  At the end, the window begins at the
 * branch's target; at the entry, the block is executed first, without being observed, and the window begins at its end.
 *
 * A repeated string instruction is one instruction here.
 */

#define ONE (1u << 16)    /* of a number with 16 fractional bits */
#define FLIPS_MAX 100u    /* below, draws are made one by one */
#define PREFETCHED 4u     /* lines of 64 bytes: the steps of five or six instructions */

static bool by_steps; /* the next block is run instruction by instruction */
static bool linked;   /* all is observed, and blocks lead from one to the next: `entered` stands between them */
static bool between;  /* a signal has stopped the program between two blocks; only if `linked` */

static enum state { ALL, REST, WATCH } state;
static uint64_t every, wanted;    /* M, N; M 0: all */
static uint64_t left;             /* WATCH: ways to the window's end; more than N: the window has not begun yet */
static bool first;                /* the next observed instruction is the first of a window */
static bool observes;             /* the running instruction is observed */
static struct qn_thread *watched; /* the thread that was observed last */
static const struct steps *current; /* linked: the block that runs, or that ran last since the dispatcher */
static uint64_t random_state;

static uint32_t *countdowns;      /* by anchor, side by side, within reach of emitted code */
static uint32_t *block_of;        /* by anchor: index in the code cache */
static uint32_t *anchor_of;       /* by block index: number of the anchor + 1, also for later blocks with this index; 0 = none yet */
static uint32_t nanchors;

static void enter(enum state next)
{
    state = next;
    by_steps = next != REST && !linked;
}

/* Was pc reached by an indirect jump or call, which is an anchor?  After a return, pc is still in memory below the stack pointer. */
static bool is_counted(uint64_t pc)
{
    uint64_t returned_to = ~pc;

    return qn_ctx.exit_kind == QN_EXIT_IBL && !(qn_read_guest(qn_ctx.gpr[QN_RSP] - 8, &returned_to, 8) && returned_to == pc);
}

/* Where may a sample begin in the block? */
static void marks(struct qn_block *b, const struct qn_emit_rules *r)
{
    b->anchor = r->samples ? qn_block_anchor(b, is_counted) : QN_NO_ANCHOR;
}

static uint64_t countdown_of(uint32_t index);
static QN_NCSR qn_slow_call entered;

static void configure(struct qn_emit_hooks *h)
{
    const struct qn_config *c = qn_cfg();

    h->sample = countdown_of;
    h->observed = entered;
    wanted = c->sample_count;
    every = c->sample_of > wanted ? c->sample_of : 0;
    random_state = sim_random_seed(c->seed ^ 0x73616d706c65ull); /* not the numbers that modules draw */
    first = true;
    linked = !every && c->filter;
    enter(every ? REST : ALL);
    qn_precise_loses = every;
    if (!every)
        return;
    countdowns = qn_engine_alloc_low(QN_TBLOCKS_MAX * sizeof *countdowns);
    block_of = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *block_of);
    anchor_of = qn_engine_alloc(QN_TBLOCKS_MAX * sizeof *anchor_of);
    qn_order_init(QN_ORDER_MAX);
}

/* If all runs step by step, all code keeps its flags. */
static void start(const struct qn_config *c)
{
    (void)c;
    if (by_steps && !every)
        qn_precise_set_always();
}

static void rules(struct qn_emit_rules *r, unsigned mode)
{
    bool anchors = QN_SCOPE(mode) == QN_SCOPE_REST || QN_VARIANT(mode) == QN_VARIANT_STEPS, traps = QN_VARIANT(mode) == QN_VARIANT_TRAPS;

    r->samples = anchors && every && !traps;
    r->observes = QN_SCOPE(mode) != QN_SCOPE_OFF && !anchors && linked && !traps;
}

static unsigned scope(unsigned counts) { return counts != QN_SCOPE_OFF && state == REST ? QN_SCOPE_REST : 0; }

static unsigned variant(void) { return by_steps && qn_region_scope() != QN_SCOPE_OFF ? QN_VARIANT_STEPS : 0; }

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

/* Address of the countdown of the block, an anchor, that is being translated. */
static uint64_t countdown_of(uint32_t index)
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

/* A block cannot be observed where it leads on, or a countdown has come to its end. */
static unsigned act(uint32_t kind)
{
    uint32_t a = (uint32_t)((uint32_t *)(uintptr_t)qn_ctx.exit_id - countdowns);

    if (kind == QN_EXIT_OBSERVE)
        return QN_VARIANT_STEPS;
    if (kind != QN_EXIT_SAMPLE)
        return 0;
    countdowns[a] = draw_countdown();
    begin_window(wanted + !qn_tcache_block(block_of[a])->turns);
    return 0;
}

/* Has the block, which came back, passed an anchor at its end? */
static bool passed_anchor(const struct qn_tblock *b)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK: return b->anchor && !(b->turns && went_to(b->pc, 0) == b->pc + b->nbytes);
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

/* ---- a block instruction by instruction ---- */

static bool is_observed(void) { return state == ALL || left <= wanted; }

static void before_step(void)
{
    observes = is_observed();
    if (observes)
        watch_before(first || qn_self != watched);
}

static void after_step(void)
{
    if (!observes || !watch_after())
        return;
    first = false;
    watched = qn_self;
}

/* It is run to its end. */
static void before(uint32_t block, bool steps)
{
    const struct qn_tblock *b = qn_tcache_block(block);

    observes = false;
    if (!steps || !b->ninsns)
        return;
    if (b->traced) {
        observes = is_observed();
        return;
    }
    step = first_step(steps_of(b));
    before_step();
}

/* Instructions of the block that have been completed, now that it has come back. */
static unsigned count_completed(const struct qn_tblock *b)
{
    struct step *s = first_step(steps_of(b));
    uint64_t pc = b->pc;
    unsigned n = 0;

    if (qn_ctx.exit_kind != QN_EXIT_SIGNAL)
        return went_to(pc, 0) ? b->ninsns : 0;
    for (; n < b->ninsns && pc != qn_ctx.rip; n++, s = next_step(s))
        pc += s->len;
    return n;
}

/* next: where it has gone on to, 0 = the exit tells. */
static void tell_block(const struct steps *steps, unsigned done, uint64_t next)
{
    watch_block(steps, done, next, first || qn_self != watched);
    first = false;
    watched = qn_self;
}

static void after_block(const struct qn_tblock *b)
{
    unsigned done = observes ? count_completed(b) : 0;

    if (!done)
        return;
    if (!b->instrumented)
        count_block(b->pc, done);
    tell_block(steps_of(b), done, 0);
}

/* ---- blocks that lead from one to the next ---- */

static void pass_on(uint64_t next) { tell_block(current, current->n, next); }

/* Entry of a recording block; the previous block is complete. */
static QN_NCSR void entered(void)
{
    const struct steps *next = (const struct steps *)(uintptr_t)qn_ctx.arg_aux;

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
    case QN_EXIT_SIGNAL: return between;
    case QN_EXIT_BAD:
    case QN_EXIT_STALE:
    case QN_EXIT_COUNTDOWN:
    case QN_EXIT_REQUEST:
    case QN_EXIT_ENTER:
    case QN_EXIT_OBSERVE: return true;
    default: return false;
    }
}

static void after_linked(void)
{
    observes = true;
    if (current && left_before())
        pass_on(qn_ctx.rip);
    else if (current)
        after_block(qn_tcache_block(current->index));
    current = NULL;
    between = false;
}

static void after_steps(uint32_t block)
{
    bool traced = qn_tcache_block(block)->traced;

    if (traced)
        after_block(qn_tcache_block(block));
    else
        after_step();
    while (qn_ctx.exit_kind == QN_EXIT_STEP) {
        qn_ctx.rip += step->len;
        step = next_step(step);
        before_step();
        qn_ctx.exit_kind = QN_EXIT_SIGNAL;
        qn_enter(&qn_self->pending);
        after_step();
    }
    end_run(block);
    if (state == WATCH && passed_anchor(qn_tcache_block(block)))
        pass_anchor();
}

static void after(uint32_t block, bool steps)
{
    if (steps && block != QN_NO_BLOCK)
        after_steps(block);
    else if (linked)
        after_linked();
}

static void stopped(void) { between = true; }

const struct qn_slice qn_sample_slice = {.configure = configure, .start = start, .rules = rules, .marks = marks, .scope = scope,
                                         .variant = variant, .before = before, .after = after, .act = act, .stopped = stopped};
