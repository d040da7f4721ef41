/* lib/run/watch.c - what one instruction does, for analysis modules that observe instructions (sim_insn in sim/module.h).
 *
 *   401136: mov 0x8(%rdi),%eax    ->   result 42, reg rax; a read of 4 bytes at 7ffc10, 42
 *
 * It is executed in code that leaves for the dispatcher before each instruction (emit/sample.c), so that before and after it
 * all registers lie in qn_ctx: nothing else has to be emitted.  Addresses are worked out before, because it may change the registers that they are made of; values are
 * read after, when it is certain that the memory is there.
 *
 * Leaves out: accesses of masked, gathering and scattering instructions and of xsave, whose number only the run tells; results of
 * system calls and of what the engine runs itself; vector registers.
 */
#include "run/watch.h"

#include "block/block.h"
#include "guest/exec_map.h"
#include "run/operand.h"
#include "run/reference.h"
#include "run/run.h"
#include "run/tally.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define VALUE_BYTES 8u

static struct qn_insn insn;
static struct sim_insn seen;
static bool decoded;
static uint64_t rep_before[3]; /* rcx, rsi, rdi */

/* ---- before ---- */

/* bt m,r: the register's bits above the operand's width select another operand. */
static uint64_t bit_offset(const struct qn_mem *m)
{
    int64_t bits = (int64_t)qn_ctx.gpr[insn.reg & 15];

    if (!(insn.attr & QN_ATTR_BT_REG))
        return 0;
    bits = m->size == 8 ? bits : m->size == 4 ? (int32_t)bits : (int16_t)bits;
    return (uint64_t)((bits >> qn_log2(m->size * 8u)) * m->size);
}

static void note_accesses(void)
{
    if (insn.attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER | QN_ATTR_XSAVE))
        return;
    for (unsigned k = 0; k < insn.n_mem; k++) {
        const struct qn_mem *m = &insn.mem[k];

        if (m->access != QN_ACC_NONE && m->size)
            seen.access[seen.accesses++] = (struct sim_access){.addr = qn_operand_address(&insn, m, seen.pc) + bit_offset(m),
                                                                  .size = m->size, .kind = (uint8_t)qn_run_kind(m->access)};
    }
}

static bool moves_stack(void)
{
    for (unsigned k = 0; k < insn.n_mem; k++)
        if (!insn.mem[k].is_modrm && insn.mem[k].base == QN_RSP)
            return true;
    return false;
}

/* The register whose value is the instruction's result: the lowest that it writes. */
static uint8_t result_register(void)
{
    uint32_t writes = insn.writes;

    if (moves_stack())
        writes &= ~(1u << QN_RSP);
    if (insn.attr & QN_ATTR_STRING)
        writes &= ~(1u << QN_RSI | 1u << QN_RDI | 1u << QN_RCX);
    return writes ? (uint8_t)__builtin_ctz(writes) : SIM_NO_REG;
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

void qn_watch_before(bool first)
{
    seen = (struct sim_insn){.pc = qn_ctx.rip, .first = first, .reg = SIM_NO_REG};
    decoded = qn_block_decode((const uint8_t *)(uintptr_t)seen.pc, qn_exec_avail(seen.pc, QN_INSN_MAX_LEN), &insn) == QN_DEC_OK;
    if (!decoded)
        return;
    rep_before[0] = qn_ctx.gpr[QN_RCX];
    rep_before[1] = qn_ctx.gpr[QN_RSI];
    rep_before[2] = qn_ctx.gpr[QN_RDI];
    seen.flow = flow_of((enum qn_class)insn.cls);
    seen.indirect = insn.cls == QN_CLS_JMP_IND || insn.cls == QN_CLS_CALL_IND;
    note_accesses();
}

/* ---- after ---- */

static bool repeats(void) { return (insn.attr & QN_ATTR_STRING) && (insn.attr & (QN_ATTR_REP | QN_ATTR_REPNE)); }

/* All steps of a repeated string instruction as one access; the direction flag lets it grow downwards. */
static void stretch_accesses(void)
{
    uint64_t steps = rep_before[0] - qn_ctx.gpr[QN_RCX];
    bool down = qn_ctx.rflags >> 10 & 1;

    if (!repeats())
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

/* Of an instruction of 8 bits without REX, numbers 4 to 7 are ah, ch, dh and bh. */
static bool is_high_half(unsigned r)
{
    unsigned rm = insn.modrm_off && insn.modrm >= 0xc0 ? insn.modrm & 7 : SIM_NO_REG;
    unsigned other = insn.modrm_off ? insn.modrm >> 3 & 7 : insn.opcode & 7;

    if (insn.opsize != 1 || insn.rex || insn.encoding != QN_ENC_LEGACY || rm == r || other == r)
        return false;
    return rm == r + 4 || other == r + 4;
}

static uint64_t read_register(unsigned r)
{
    uint64_t value = qn_ctx.gpr[r] >> (is_high_half(r) ? 8 : 0);

    return insn.opsize == 1 ? (uint8_t)value : insn.opsize == 2 ? (uint16_t)value : value;
}

uint64_t qn_watch_went_to(uint64_t pc, unsigned len)
{
    switch (qn_ctx.exit_kind) {
    case QN_EXIT_LINK: return qn_texit_target(&qn_tcache_block(qn_ctx.exit_id / 2)->exit[qn_ctx.exit_id % 2]);
    case QN_EXIT_IBL:
    case QN_EXIT_SYSCALL:
    case QN_EXIT_FPU:
    case QN_EXIT_STEP:
    case QN_EXIT_RETURN: return qn_ctx.rip;
    case QN_EXIT_EMULATE: return qn_ctx.rip + len;
    case QN_EXIT_SIGNAL: return qn_ctx.rip != pc ? qn_ctx.rip : 0;
    default: return 0;
    }
}

static void tally(void)
{
    if (repeats())
        qn_tally_string(seen.pc, rep_before);
    else
        qn_tally_insn(seen.pc);
}

bool qn_watch_after(void)
{
    bool by_itself = qn_ctx.exit_kind != QN_EXIT_SYSCALL && qn_ctx.exit_kind != QN_EXIT_EMULATE;

    if (!decoded || !(seen.next = qn_watch_went_to(seen.pc, insn.len)))
        return false;
    tally();
    stretch_accesses();
    for (unsigned k = 0; k < seen.accesses; k++)
        seen.access[k].value = read_value(&seen.access[k]);
    if (by_itself && (seen.reg = result_register()) != SIM_NO_REG)
        seen.result = read_register(seen.reg);
    qn_sim_observe(&seen);
    return true;
}
