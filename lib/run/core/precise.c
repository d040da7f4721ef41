/* lib/run/core/precise.c - the guest's registers and flags, precise where a signal stops translated code.
 *
 * In:  a host context inside the code cache
 * Out: the guest's registers in qn_ctx, rip at an instruction of the guest; a fault takes back what the block has counted from there on
 *
 * Three registers may be borrowed (their values lie in ctx.gpr), the flags may be saved, and one register may be saved for a
 * RIP-relative rewrite: the block's side table has this for each instruction.  The guest's pc is that of the instruction whose copy
 * faulted.  A leave record takes back what the block has counted for that instruction and those after it. */
#include "block/block.h"
#include "event/event.h"
#include "run/core/core.h"
#include "run/kernel/signal.h"
#include "sim/contract.h"
#include "sim/shadow.h"
#include "tcache/tcache.h"

static uint64_t *host_register(struct qn_mcontext *mc, unsigned r)
{
    uint64_t *const regs[16] = {&mc->ax, &mc->cx, &mc->dx, &mc->bx, &mc->sp, &mc->bp, &mc->si, &mc->di,
                                &mc->r8, &mc->r9, &mc->r10, &mc->r11, &mc->r12, &mc->r13, &mc->r14, &mc->r15};

    return regs[r];
}

/* Copies all registers from the host context except those in `keep`, which are in ctx already. */
static void take_registers(struct qn_mcontext *mc, uint32_t keep)
{
    for (unsigned r = 0; r < 16; r++)
        if (!(keep >> r & 1))
            qn_ctx.gpr[r] = *host_register(mc, r);
    qn_ctx.rflags = mc->flags & ~(uint64_t)(FLAG_TF | FLAG_RF);
}

static void take_saved_flags(void)
{
    uint64_t ah = qn_ctx.saved_flags >> 8 & 0xd5, of = qn_ctx.saved_flags & 1;

    qn_ctx.rflags = (qn_ctx.rflags & ~0x8d5ull) | ah | of << 11;
}

static uint32_t scratch_mask(const struct qn_tblock *b)
{
    return b->now == QN_NO_REG ? 0 : 1u << b->now | 1u << b->s1 | 1u << b->s2 | (b->s3 == QN_NO_REG ? 0 : 1u << b->s3);
}

/* The engine's value in a borrowed register, which may itself be saved for a RIP-relative rewrite. */
static uint64_t borrowed_value(struct qn_mcontext *mc, const struct qn_side *side, unsigned r)
{
    return side->fix == r ? qn_ctx.tmp : *host_register(mc, r);
}

static uint64_t guest_pc(const struct qn_tblock *b, unsigned insn)
{
    uint64_t pc = b->pc;
    struct qn_insn in;

    for (unsigned i = 0; i < insn; i++) {
        qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in);
        pc += in.len;
    }
    return pc;
}

/* Has translated code stored this instruction's registers in ctx.rep before it ran?  Not for ins and outs, which end a block, nor for an
 * instruction that the processor refuses. */
static bool registers_are_kept(const struct qn_insn *in)
{
    return qn_is_repeated(in) && !(in->attr & QN_ATTR_UD) &&
           in->cls != QN_CLS_HLT;
}

/* A repeated string instruction was interrupted: counts the repetitions that were executed. */
static void partial_string(const struct qn_tblock *b, uint64_t pc, unsigned insn)
{
    struct qn_insn in;

    if (b->instrumented && qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in) == QN_DEC_OK &&
        registers_are_kept(&in)) {
        if (qn_cfg()->versus && b->caches)
            qn_versus_counted += qn_ctx.rep[0] != qn_ctx.gpr[QN_RCX]; /* its fetch */
        qn_string_done(pc, b->record, insn, false);
    }
}

static unsigned insn_at(const struct qn_tblock *b, const struct qn_side *side, uint64_t host)
{
    unsigned i = b->ninsns;

    while (i > 1 && qn_tblock_entry2(b) + side[i - 1].host > host)
        i--;
    return i - 1;
}

/* The block among whose copied instructions this host address lies, and its index; NULL: none. */
static const struct qn_tblock *block_of_copy(uint64_t host, uint32_t *index)
{
    const struct qn_tblock *b;

    *index = qn_tcache_at(host);
    if (*index == QN_NO_BLOCK)
        return NULL;
    b = qn_tcache_block(*index);
    return b->ninsns && host >= qn_tblock_entry2(b) && host < qn_tblock_end(b) ? b : NULL;
}

/* The guest's instruction whose copy is at this host address; 0: it has been evicted. */
uint64_t qn_recover_pc(uint64_t host)
{
    uint32_t index;
    const struct qn_tblock *b = block_of_copy(host, &index);

    return b ? guest_pc(b, insn_at(b, qn_tcache_side(index), host)) : 0;
}

/* --versus and --explain: the block has counted its references, also those of instructions from i on (emit/check.c). */
static void take_back_references(const struct qn_tblock *b, unsigned i)
{
    uint16_t left;

    if ((!qn_cfg()->versus && !qn_sim_users.table) || !b->caches || i == b->ninsns)
        return;
    __builtin_memcpy(&left, (const void *)(uintptr_t)(qn_tblock_cold_end(b) - (b->ninsns - i) * sizeof left), sizeof left);
    if (qn_cfg()->versus) {
        qn_versus_counted -= left;
        return;
    }
    qn_sim_users.now -= left * (uint64_t)QN_USER_ONE;
    qn_sim_users.extra += left;
}

/* after: the host's pc is that of the next instruction (int3). */
bool qn_recover_fault(struct qn_ucontext *uc, bool after)
{
    uint64_t host = uc->mc.ip - after;
    uint32_t index, keep;
    const struct qn_tblock *b = block_of_copy(host, &index);
    const struct qn_side *side;
    unsigned i;

    if (!b)
        return false;
    side = qn_tcache_side(index);
    i = insn_at(b, side, host);
    keep = side[i].state & QN_SIDE_NATIVE ? 0 : scratch_mask(b);
    if (keep)
        qn_ctx.now = borrowed_value(&uc->mc, &side[i], b->now) + QN_EVENTS_MAX; /* later than all stamps of this block */
    take_registers(&uc->mc, keep);
    if (side[i].fix != QN_NO_REG && !(keep >> side[i].fix & 1)) /* not if that register is borrowed, too */
        qn_ctx.gpr[side[i].fix] = qn_ctx.tmp;
    if (side[i].state & QN_SIDE_FLAGS_SAVED)
        take_saved_flags();
    qn_ctx.rflags |= uc->mc.flags & FLAG_RF; /* set by a fault; the guest's handler sees it natively, too */
    qn_ctx.rip = guest_pc(b, i + after);
    if (qn_sim_log_on)
        qn_sim_log_recover(side[i].state & QN_SIDE_BATCH ? borrowed_value(&uc->mc, &side[i], b->s2) : 0);
    if (b->instrumented) {
        take_back_references(b, i + after);
        qn_arena_leave(b->record, i + after);
        qn_arena_undo_misses(b->record, i + after);
    }
    if (!after)
        partial_string(b, qn_ctx.rip, i);
    return true;
}

bool qn_recover_is_behind_int3(uint64_t host)
{
    uint32_t index;
    const struct qn_tblock *b = block_of_copy(host - 1, &index);
    struct qn_insn in;
    uint64_t pc;

    if (!b)
        return false;
    pc = guest_pc(b, b->ninsns - 1u);
    return qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in) == QN_DEC_OK && in.cls == QN_CLS_INT3 &&
           host == qn_tblock_entry2(b) + qn_tcache_side(index)[b->ninsns - 1].host + in.len;
}

bool qn_recover_boundary(struct qn_ucontext *uc)
{
    uint32_t index = qn_tcache_at(uc->mc.ip), standard = 1u << QN_RCX | 1u << QN_R10 | 1u << QN_R11;
    const struct qn_tblock *b;

    if (index == QN_NO_BLOCK)
        return false;
    b = qn_tcache_block(index);
    qn_self->flags_wait.unknown = QN_FLAGS_STATUS & ~b->flags_in;
    QN_TELL(stopped);
    if (uc->mc.ip == qn_tblock_entry2(b) || (b->entry3 && uc->mc.ip == qn_tblock_entry3(b))) {
        if (scratch_mask(b))
            qn_ctx.now = *host_register(&uc->mc, b->now);
        take_registers(&uc->mc, scratch_mask(b));
        qn_ctx.rip = b->pc;
        return true;
    }
    if (uc->mc.ip != qn_tblock_ind_entry(b))
        return false;
    qn_self->flags_wait.unknown = 0;
    if (b->caches) {
        standard |= 1u << QN_PREF_NOW;
        qn_ctx.now = *host_register(&uc->mc, QN_PREF_NOW);
    }
    qn_ctx.rip = uc->mc.r11;
    take_registers(&uc->mc, standard);
    return true;
}

/* ---- precise flags: status flags have the guest's values when a signal handler may read them ----
 *
 * Instrumentation destroys status flags that the program writes before it reads them again (block/block.c).  A handler that gets the
 * context could see that.  Therefore:
 *
 *   an asynchronous signal     waits at the block boundary where it arrived, for a block or two.  These run in a variant that keeps all
 *                              flags.  It waits until the program has written all flags that had other values, or until a block ends in
 *                              something else than a direct branch: then all flags have the guest's values
 *   a fault                    cannot wait.  As soon as a handler with SA_SIGINFO is installed for a signal that faults raise, all
 *                              translations keep all flags
 *
 * Code that is not instrumented always keeps them, except code with countdowns to samples (emit/observe.c).  Code that is observed
 * instruction by instruction keeps them, too.
 */

#define BLOCKS_MAX 64u /* the limit of waiting; liveness looks 16 instructions ahead, so a few blocks are usually enough */

static bool all_exact;
bool qn_precise_loses;

bool qn_precise_always(void) { return all_exact; }

void qn_precise_set_always(void)
{
    if (!all_exact)
        qn_tcache_flush();
    all_exact = true;
}

/* Flags that the block at pc does not read, so that the code before it may have destroyed them. */
static uint8_t unknown_at(uint64_t pc)
{
    unsigned scope;
    uint32_t index;

    if (qn_precise_loses)
        return QN_FLAGS_STATUS;
    scope = qn_slices_scope();
    if (scope != qn_mode)
        qn_mode_choose(scope);
    index = qn_tcache_find(pc, qn_mode);
    if (index == QN_NO_BLOCK)
        index = qn_translate(pc, qn_mode);
    if (index == QN_NO_BLOCK)
        return 0;
    return QN_FLAGS_STATUS & ~qn_tcache_block(index)->flags_in;
}

/* Do all flags have the guest's values?  At the end of a block, all flags are live, and so have these values, unless it ends in a direct
 * branch.  This also holds before code that may change, whose comparison keeps the flags (QN_EXIT_STALE), and in code that does not count
 * (QN_EXIT_ENTER). */
static bool all_known(void)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK:
    case QN_EXIT_SAMPLE:
    case QN_EXIT_COUNTDOWN:
    case QN_EXIT_SIGNAL: return false;
    default: return true;
    }
}

static uint8_t unknown_now(const struct qn_flags_wait *s)
{
    if (all_known())
        return 0;
    if (qn_ctx.exit_kind == QN_EXIT_SIGNAL && s->unknown != QN_FLAGS_BY_BLOCK)
        return s->unknown;
    return unknown_at(qn_ctx.rip);
}

/* Flags that the exact variant of the block at pc has written. */
static uint8_t written_by(uint64_t pc)
{
    uint32_t index = qn_tcache_find(pc, QN_MODE(qn_mode, QN_VARIANT_EXACT));
    uint8_t written = 0;
    struct qn_insn in;

    for (unsigned i = 0; index != QN_NO_BLOCK && i < qn_tcache_block(index)->ninsns; i++) {
        qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in);
        written |= in.flags_written;
        pc += in.len;
    }
    return written;
}

static bool looks_at_flags(const struct qn_sigaction *act)
{
    return act->handler > HANDLER_IGN && (act->flags & SA_SIGINFO_);
}

unsigned qn_precise_variant(unsigned at_most)
{
    struct qn_thread *t = qn_self;
    struct qn_flags_wait *s = &t->flags_wait;
    bool came_here = qn_ctx.exit_kind == QN_EXIT_SIGNAL && qn_ctx.rip == s->from; /* the block was stopped before it began */

    if (all_exact || t->pending != 1 || !looks_at_flags(&t->actions[t->info.signo]))
        return 0;
    if (!s->blocks)
        s->unsettled = unknown_now(s);
    else if (!came_here)
        s->unsettled &= all_known() ? 0 : (uint8_t)~written_by(s->from);
    if (!s->unsettled || s->blocks == BLOCKS_MAX)
        return 0;
    s->blocks = at_most ? 0 : s->blocks + 1; /* at_most: an interval ends first */
    s->from = qn_ctx.rip;
    return at_most ? at_most : QN_VARIANT_EXACT;
}
