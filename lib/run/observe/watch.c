/* lib/run/observe/watch.c - what one instruction does, for analysis modules that observe instructions (sim_insn in sim/module.h).
 *
 *   401136: mov 0x8(%rdi),%eax    ->   result 42, reg rax; a read of 4 bytes at 7ffc10, 42
 *
 * Most blocks write down what their instructions do (emit/slots.c), and it is told when they have come to their end.  In others it is
 * executed in code that leaves for the dispatcher before each instruction (emit/sample.c), so that before and after it
 * all registers lie in qn_ctx: nothing else has to be emitted.  Addresses are worked out before, because it may change the registers
 * that they are made of; values are read after, when it is certain that the memory is there.
 *
 * Leaves out: accesses of masked, gathering and scattering instructions and of xsave, whose number only the run tells; results of
 * system calls and of what the engine runs itself; vector registers.
 */
#include "run/observe/watch.h"

#include "run/core/references/references.h"
#include "run/run.h"
#include "run/observe/tally.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define VALUE_BYTES 8u

static struct qn_step *step;
static struct sim_insn seen;
static uint64_t rep_before[3]; /* rcx, rsi, rdi */

/* ---- before ---- */

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

void qn_watch_before(struct qn_step *s, bool first)
{
    uint64_t next = qn_ctx.rip + s->len, al = s->xlat ? qn_ctx.gpr[QN_RAX] & 0xff : 0;

    step = s;
    seen = (struct sim_insn){.pc = qn_ctx.rip, .memo = &s->memo, .first = first, .flow = s->what.flow, .indirect = s->what.indirect, .accesses = s->what.accesses};
    rep_before[0] = qn_ctx.gpr[QN_RCX];
    rep_before[1] = qn_ctx.gpr[QN_RSI];
    rep_before[2] = qn_ctx.gpr[QN_RDI];
    for (unsigned k = 0; k < s->what.accesses; k++) {
        const struct qn_mem *m = &s->access[k];

        seen.access[k] = (struct sim_access){.addr = qn_operand_at(m, next, al) + bit_offset(m), .size = m->size,
                                             .kind = s->kind[k]};
    }
}

/* ---- after ---- */

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

static uint64_t register_value(const struct qn_step *s, uint64_t whole)
{
    return whole >> (s->high_half ? 8 : 0) & s->kept;
}

uint64_t qn_watch_went_to(uint64_t pc, unsigned len)
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

static void tally(void)
{
    if (step->repeats)
        qn_tally_string(seen.pc, rep_before);
    else
        qn_tally_insn(seen.pc);
}

bool qn_watch_after(void)
{
    bool by_itself = qn_ctx.exit_kind != QN_EXIT_SYSCALL && qn_ctx.exit_kind != QN_EXIT_EMULATE;

    if (!(seen.next = qn_watch_went_to(seen.pc, step->len)))
        return false;
    tally();
    stretch_accesses();
    for (unsigned k = 0; k < seen.accesses; k++)
        seen.access[k].value = read_value(&seen.access[k]);
    seen.reg = by_itself ? step->what.reg : SIM_NO_REG;
    if (seen.reg != SIM_NO_REG)
        seen.result = register_value(step, qn_ctx.gpr[step->what.reg]);
    qn_sim_observe(&seen, 1);
    return true;
}

/* ---- a block at a time ---- */

_Static_assert(offsetof(struct sim_insn, accesses) - offsetof(struct sim_insn, reg) == offsetof(struct qn_step, what.accesses) - offsetof(struct qn_step, what) &&
                   offsetof(struct sim_insn, flow) == offsetof(struct sim_insn, reg) + 1 && offsetof(struct sim_insn, first) == offsetof(struct sim_insn, reg) + 3,
               "copied as they are");

/* The rest of what emitted code has written down. */
static inline void complete(struct sim_insn *to, struct qn_step *s)
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
static void take_returned(struct sim_insn *last, const struct qn_step *s)
{
    bool by_itself = qn_ctx.exit_kind != QN_EXIT_SYSCALL && qn_ctx.exit_kind != QN_EXIT_EMULATE;

    last->next = qn_watch_went_to(last->pc, s->len);
    read_values(last);
    if (last->reg != SIM_NO_REG)
        last->result = register_value(s, qn_ctx.gpr[last->reg]);
    last->reg = by_itself ? last->reg : SIM_NO_REG;
}

/* What its last instruction did is not written down if that is a branch; then it has no result where another block has begun. */
void qn_watch_block(const struct qn_steps *steps, unsigned done, uint64_t next, bool first)
{
    struct sim_insn *const all = qn_emit_slots;
    struct qn_step *s = qn_step_first(steps), *last = s;
    struct sim_insn *to = all;
    uint64_t pc = steps->pc;

    for (unsigned i = 0; i < done; i++, to++, s = qn_step_next(s)) {
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
