/* lib/run/core/trap_flag.c - the guest has set the trap flag: SIGTRAP behind each instruction.
 *
 *   popf (sets TF) ; nop ; syscall ; mov ; rep movsb (rcx 2)      ->      traps behind nop, mov, and each repetition
 *
 * The processor's own flag is the engine's (signal.c).  A popf that sets it makes the processor trap in the code that ends the block, where
 * the signal handler learns of it (handle_trap).  From then on the dispatcher runs blocks of one instruction, which are never linked.
 * As on the processor (SDM vol. 3, 18.3.1.4):
 *
 *   popf that clears the flag        traps once more
 *   syscall                          does not trap: the kernel returns with the flag set, so that the instruction behind it runs first
 *   faults, int3, int n              do not trap; nor does mov to ss, or lss, unless the instruction before was one
 *   a repeated string instruction    traps behind each repetition, with RF set if it is not the last
 *   pushf, syscall                   show the flag
 *
 * Here a client request is one instruction.
 */
#include "block/block.h"
#include "guest/exec_map.h"
#include "run/core/trap_flag.h"
#include "run/kernel/signal/signal.h"
#include "run/run.h"

enum { PUSHF = 0x9c, SS = 2, MOV_TO_SEGMENT = 0x8e };

static struct qn_insn insn; /* the one that runs */
static uint64_t at;         /* its address */
static uint64_t flags;      /* before it */
static uint64_t count;      /* rcx before a repeated string instruction, of which one repetition runs; 0: nothing is repeated */

static bool repeats(void)
{
    return (insn.attr & QN_ATTR_STRING) && (insn.attr & (QN_ATTR_REP | QN_ATTR_REPNE)) && !(insn.attr & (QN_ATTR_UD | QN_ATTR_PRIV));
}

static uint64_t counter(uint64_t rcx) { return insn.mem[0].addr32 ? (uint32_t)rcx : rcx; }

void qn_trap_flag_before(void)
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

bool qn_trap_flag_after(uint32_t exit_kind)
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
    if (loads_ss() && !shadow) {
        t->trap_shadow = true;
        return true;
    }
    if (again) {
        qn_ctx.rip = at;
        qn_ctx.rflags = flags; /* cmps and scas set them when they end */
    }
    qn_signal_raise_step(again);
    return true;
}
