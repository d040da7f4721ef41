/* lib/run/core/dispatch.c - the dispatcher: finds or makes the translation at the guest's rip, links it, enters it, and handles the
 * reason for which it returns. */
#include <stddef.h>

#include "block/block.h"
#include "guest/exec_map.h"
#include "run/core/core.h"
#include "run/core/references/references.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/shadow.h"
#include "tcache/tcache.h"

/* ---- the guest's trap flag: SIGTRAP behind each instruction ----
 *
 *   popf (sets TF) ; nop ; syscall ; mov ; rep movsb (rcx 2)      ->      traps behind nop, mov, and each repetition
 *
 * The processor's own flag is the engine's (signal.c).  A popf that sets it makes the processor trap in the code that ends the block, where
 * the signal handler learns of it (handle_trap).  From then on the dispatcher runs blocks of one instruction, which are never linked.
 * As on the processor (SDM vol. 3, 18.3.1.4):
 *
 *   popf that clears the flag        traps once more
 *   syscall                          does not trap: the kernel returns with the flag set, so that the instruction behind it runs first
 *   faults, int3, int n              do not trap; nor does mov to ss, or lss, on Intel's processors unless the instruction before was one
 *   a repeated string instruction    traps behind each repetition; on Intel's processors, if it is not the last, with RF set and the flags from
 *                                    before the instruction, on AMD's without RF and with the flags of the repetition
 *   pushf, syscall                   show the flag
 *
 * Here a client request is one instruction.
 */

enum { PUSHF = 0x9c, SS = 2, MOV_TO_SEGMENT = 0x8e };

static struct qn_insn insn; /* the one that runs */
static uint64_t at;         /* its address */
static uint64_t flags;      /* before it */
static uint64_t count;      /* rcx before a repeated string instruction, of which one repetition runs; 0: nothing is repeated */

static bool repeats(void)
{
    return qn_is_repeated(&insn) && !(insn.attr & (QN_ATTR_UD | QN_ATTR_PRIV));
}

static uint64_t counter(uint64_t rcx) { return insn.mem[0].addr32 ? (uint32_t)rcx : rcx; }

static void trap_flag_before(void)
{
    at = qn_ctx.rip;
    flags = qn_ctx.rflags;
    count = 0;
    if (qn_block_decode((const uint8_t *)(uintptr_t)at, qn_exec_avail(at, QN_INSN_MAX_LEN), &insn) != QN_DEC_OK)
        insn = (struct qn_insn){0};
    if (insn.attr & QN_ATTR_POPF)
        qn_self->trap_flag = false; /* the processor will tell if it sets it again */
    if (!repeats() || counter(qn_ctx.gpr[QN_RCX]) < 2)
        return;
    count = qn_ctx.gpr[QN_RCX];
    qn_ctx.gpr[QN_RCX] = 1;
}

/* Gives rcx its value back after one repetition, or none.  true: more are to come. */
static bool repetition_done(void)
{
    bool compares = (insn.opcode & 0xf6) == 0xa6; /* cmps, scas */
    bool equal = qn_ctx.rflags & FLAG_ZF;

    if (!count)
        return false;
    if (qn_ctx.gpr[QN_RCX]) { /* it was not executed */
        qn_ctx.gpr[QN_RCX] = count;
        return false;
    }
    qn_ctx.gpr[QN_RCX] = counter(count) - 1;
    return !compares || equal == !(insn.attr & QN_ATTR_REPNE);
}

static bool loads_ss(void)
{
    if (insn.encoding != QN_ENC_LEGACY || insn.map > 1)
        return false;
    return insn.map == 0 && insn.opcode == MOV_TO_SEGMENT && (insn.modrm >> 3 & 7) == SS;
}

static bool was_executed(uint32_t exit_kind)
{
    switch (exit_kind) {
    case QN_EXIT_LINK:
    case QN_EXIT_IBL:
    case QN_EXIT_RETURN:
    case QN_EXIT_REQUEST:
    case QN_EXIT_EMULATE:
    case QN_EXIT_AFTER: return true;
    default: return false;
    }
}

static bool trap_flag_after(uint32_t exit_kind)
{
    struct qn_thread *t = qn_self;
    bool again = repetition_done(), shadow = t->trap_shadow;

    if (!was_executed(exit_kind) || (t->pending & 2)) {
        t->trap_flag |= (insn.attr & QN_ATTR_POPF) != 0;
        return exit_kind == QN_EXIT_SYSCALL;
    }
    t->trap_shadow = false;
    if (insn.map == 0 && insn.opcode == PUSHF && insn.encoding == QN_ENC_LEGACY)
        *(uint16_t *)(uintptr_t)qn_ctx.gpr[QN_RSP] |= FLAG_TF;
    if (loads_ss() && (!shadow || qn_block_machine == QN_MACHINE_AMD)) {
        t->trap_shadow = true;
        return true;
    }
    if (again) {
        qn_ctx.rip = at;
        if (qn_block_machine != QN_MACHINE_AMD)
            qn_ctx.rflags = flags; /* cmps and scas set them when they end */
    }
    qn_signal_raise_step(again && qn_block_machine != QN_MACHINE_AMD);
    return true;
}

/* ---- the dispatcher ---- */

/* switch.S uses these offsets. */
_Static_assert(offsetof(struct qn_ctx, rip) == 128 && offsetof(struct qn_ctx, rflags) == 136, "switch.S");
_Static_assert(offsetof(struct qn_ctx, now) == 144 && offsetof(struct qn_ctx, tmp) == 152, "switch.S");
_Static_assert(offsetof(struct qn_ctx, entry) == 216 && offsetof(struct qn_ctx, engine_sp) == 224, "switch.S");
_Static_assert(offsetof(struct qn_ctx, exit_kind) == 240 && QN_EXIT_STEP == 8 && offsetof(struct qn_ctx, in_cache) == 452, "switch.S");

struct qn_ctx qn_ctx __attribute__((aligned(64)));

/* The processor's own fault at this address, where it may not fetch.  false: it does not fault there (the engine's code, the hidden vDSO), or
 * would before (an address that is not canonical). */
static bool fault_of_processor(uint64_t pc)
{
    if (qn_is_engine_range(pc, 1) || qn_guarded_code(pc) || qn_guarded_fault.ip != pc || qn_guarded_fault.trap != PAGE_FAULT)
        return false;
    qn_guarded_raise();
    return true;
}

/* Control reached an address that holds no code. */
static void fetch_fault(uint64_t pc)
{
    qn_ctx.exit_kind = QN_EXIT_SIGNAL; /* not that of the block before */
    if ((pc == qn_ctx.rip && qn_vsyscall()) || qn_truncated_fetch(pc) || qn_learn_code(pc))
        return;
    if (!fault_of_processor(pc))
        qn_signal_raise(SIG_SEGV, qn_is_mapped(pc) ? SEGV_ACCERR_ : SEGV_MAPERR_, pc);
}

/* Links the exit through which the last block returned to this block, if the last block still exists. */
static void connect(uint32_t to)
{
    uint32_t id = qn_ctx.exit_id;
    struct qn_tblock *from;

    if (qn_ctx.exit_kind == QN_EXIT_IBL) {
        qn_tcache_ibl_set(to);
        qn_arena->stats.ibl_misses++;
        return;
    }
    from = qn_tcache_block(id / 2);
    if (from->live && id % 2 < from->nexits && qn_texit_target(&from->exit[id % 2]) == qn_tcache_block(to)->pc)
        qn_tcache_link(id, to);
}

/* A block that borrows no register is entered at once; others by code that loads the clock into their register. */
static void choose_entry(const struct qn_tblock *b)
{
    qn_ctx.tmp = qn_tblock_entry2(b);
    qn_ctx.entry = b->now == QN_NO_REG ? qn_ctx.tmp : (uint64_t)(uintptr_t)qn_enter_clock + b->now * QN_ENTER_CLOCK_BYTES;
}

/* Executes translated code from the guest's rip until it returns.  at_most: the number of instructions of the first block, or another
 * variant (core.h); 0 = all.  Executes nothing if *stop.  Returns the index of the first block. */
static uint32_t run_block(bool may_connect, unsigned at_most, volatile uint32_t *stop)
{
    unsigned mode = QN_MODE(qn_mode, at_most);
    uint32_t index;

    QN_TELL(arrives);
    index = qn_tcache_find(qn_ctx.rip, mode);

    if (index == QN_NO_BLOCK)
        index = qn_translate(qn_ctx.rip, mode);
    if (index == QN_NO_BLOCK) {
        fetch_fault(qn_ctx.rip);
        return index;
    }
    if (may_connect)
        connect(index);
    qn_arena->stats.dispatches++;
    qn_sim_miss_count = qn_sim_charge_count = sim_undo_count = 0;
    choose_entry(qn_tcache_block(index));
    qn_ctx.exit_kind = QN_EXIT_SIGNAL;
    QN_TELL(before, index, at_most == QN_VARIANT_STEPS);
    qn_enter(stop);
    qn_sim_shadow.ahead = 0;
    if (!qn_sim_log_is_empty())
        qn_sim_log_drain(); /* all code that reads counters is called from here */
    if (QN_UNLIKELY(!qn_sim_stream_is_empty()))
        qn_sim_stream_ended();
    if (!qn_sim_branches_are_empty())
        qn_sim_branches_drain();
    if (qn_sim_shadow_logs || (qn_sim_shadow_on && qn_sim_branches.next))
        qn_sim_shadow_drained();
    if (QN_SCOPE(mode) == QN_SCOPE_BATCH)
        qn_batch_missed(QN_BATCH_STAY);
    qn_batch_missed(qn_sim_miss_count);
    return index;
}

/* The decoder does not know these bytes, and may be older than the processor: what this makes of them decides. */
static void try_instruction(uint64_t pc, unsigned avail)
{
    const struct qn_fault *f = &qn_guarded_fault;

    if (qn_guarded_bytes((const uint8_t *)(uintptr_t)pc, avail))
        qn_die_bad_insn(pc);
    if (f->trap == PAGE_FAULT && (f->err & ERR_FETCH)) {
        fetch_fault(pc + avail);
        return;
    }
    if (f->info.signo == SIG_ILL)
        qn_guarded_fault.info.fault.addr = pc;
    qn_guarded_raise();
}

/* Control reached an instruction that is missing or cannot be decoded. */
static void bad_instruction(void)
{
    uint64_t pc = qn_ctx.rip, avail = qn_exec_avail(pc, QN_INSN_MAX_LEN);
    struct qn_insn in;
    enum qn_decode_status status = qn_block_decode((const uint8_t *)(uintptr_t)pc, avail, &in);

    if (status != QN_DEC_OK)
        try_instruction(pc, (unsigned)avail);
    else if (qn_block_refuses(&in))
        qn_die_bad_insn(pc);
    else
        qn_code_changed(pc, pc + 1); /* the bytes have changed, and now are an instruction */
}

/* Does what translated code has come back for.  Returns the variant to run next, or a number of instructions, as for run_block. */
static inline unsigned act_on_exit(uint32_t kind)
{
    switch (kind) {
    case QN_EXIT_IBL: break; /* rip is the target */
    case QN_EXIT_LINK: qn_ctx.rip = qn_texit_target(&qn_tcache_block(qn_ctx.exit_id / 2)->exit[qn_ctx.exit_id % 2]); break;
    case QN_EXIT_SYSCALL: qn_syscall(); break;
    case QN_EXIT_EMULATE: qn_emulate(); break;
    case QN_EXIT_AFTER: qn_emulate_after(qn_ctx.arg_pc); break;
    case QN_EXIT_BAD: bad_instruction(); break;
    case QN_EXIT_REQUEST: qn_request(); break;
    case QN_EXIT_STALE: qn_code_changed(qn_ctx.rip, qn_ctx.rip + 1); break;
    default: return QN_ASK(act, kind);
    }
    return 0;
}

_Noreturn void qn_dispatch(void)
{
    static volatile uint32_t nothing;
    volatile uint32_t *stop;
    bool may_connect = false, delivered, alone, traps, entered = false;
    unsigned at_most = 0, scope;
    uint32_t index, kind;

    qn_self->dispatcher_sp = (uint64_t)(uintptr_t)__builtin_frame_address(0) + sizeof(uint64_t); /* as at its first instruction */
    for (;;) {
        qn_lock_yield_if_asked();
        if (QN_UNLIKELY(qn_arena->code_written))
            qn_external_writes();
        if (QN_UNLIKELY(qn_arena->wish))
            qn_region_obey();
        stop = &qn_self->pending;
        delivered = false;
        if (QN_UNLIKELY(qn_self->pending)) {
            at_most = qn_precise_variant(at_most);
            if (at_most)
                stop = &nothing; /* the signal waits until this block has run */
            else
                qn_signal_deliver();
            delivered = !at_most;
            may_connect = false;
        }
        if (!at_most)
            at_most = QN_ASK(variant);
        alone = at_most == QN_VARIANT_STEPS;
        traps = qn_self->trap_flag;
        if (QN_UNLIKELY(traps)) {
            at_most = QN_VARIANT_TRAPS;
            alone = false;
            if (!entered && QN_ASK(enters, qn_ctx.rip, qn_slices_scope()))
                QN_TELL(act, QN_EXIT_ENTER);
            entered = true;
            trap_flag_before();
        }
        qn_self->flags_wait.unknown = delivered ? 0 : QN_FLAGS_BY_BLOCK;
        scope = qn_batch_scope(qn_slices_scope());
        if (QN_UNLIKELY(scope != qn_mode))
            qn_mode_choose(scope);
        index = run_block(may_connect && !alone && !traps, at_most, stop);
        QN_TELL(after, index, alone);
        kind = qn_ctx.exit_kind;
        may_connect = (kind == QN_EXIT_LINK || kind == QN_EXIT_IBL) && !alone && !traps;
        at_most = act_on_exit(kind);
        if (QN_UNLIKELY(traps))
            entered = !trap_flag_after(kind);
    }
}
