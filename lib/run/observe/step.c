/* lib/run/observe/step.c - what there is to know of the instructions of a block that will be observed one by one (watch.c).
 *
 *   mov 0x8(%rdi),%eax    ->   4 bytes, goes on, result in eax, one access: 4 bytes at 8 + rdi
 *
 * It is worked out when the block is translated, and lies in front of the block's cold code: what is observed is observed so seldom
 * that each line of memory which that takes is missing from all caches, those of the decoder's own code as well.
 */
#include "run/observe/step.h"

#include "emit/emit.h"
#include "run/core/references/references.h"
#include "sim/module.h"

static bool moves_stack(const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (!in->mem[k].is_modrm && in->mem[k].base == QN_RSP)
            return true;
    return false;
}

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

static void write_accesses(struct qn_step *s, const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k)) {
            s->kind[s->what.accesses] = (uint8_t)qn_run_kind(in->mem[k].access);
            s->access[s->what.accesses++] = in->mem[k];
        }
}

_Static_assert(SIM_NO_REG == QN_NO_REG, "what emitted code writes down");
_Static_assert(sizeof(struct qn_step) + sizeof ((struct qn_insn *)NULL)->mem <= QN_STEPS_MAX, "room in the cold code");
_Static_assert(sizeof(struct qn_steps) <= QN_STEPS_FRAME, "and in front of all");

unsigned qn_step_write(const struct qn_block *b, uint8_t *to)
{
    uint8_t *p = to + sizeof(struct qn_steps);

    *(struct qn_steps *)(void *)to = (struct qn_steps){b->pc, qn_tcache_next_index(), b->n};
    for (unsigned i = 0; i < b->n; i++) {
        struct qn_step *s = (struct qn_step *)(void *)p;
        const struct qn_insn *in = &b->insn[i];
        uint8_t reg = (uint8_t)qn_step_result(in);

        *s = (struct qn_step){.kept = reg == SIM_NO_REG ? 0 : in->opsize == 1 ? UINT8_MAX : in->opsize == 2 ? UINT16_MAX : UINT64_MAX,
                              .what = {.reg = reg, .flow = flow_of((enum qn_class)in->cls),
                                       .indirect = in->cls == QN_CLS_JMP_IND || in->cls == QN_CLS_CALL_IND},
                              .len = in->len, .high_half = is_high_half(in, reg),
                              .repeats = (in->attr & QN_ATTR_STRING) && (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE)),
                              .xlat = qn_is_xlat(in), .bits = in->attr & QN_ATTR_BT_REG ? in->reg & 15 : QN_REG_NONE};
        write_accesses(s, in);
        p = (uint8_t *)(uintptr_t)qn_step_next(s);
    }
    return (unsigned)(p - to);
}
