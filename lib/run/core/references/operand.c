/* lib/run/core/references/operand.c - see operand.h. */
#include "run/core/references/operand.h"

#include "base/context.h"

uint64_t qn_operand_segment(const struct qn_mem *m)
{
    return m->seg == QN_SEG_FS ? qn_ctx.fs_base : m->seg == QN_SEG_GS ? qn_ctx.gs_base : 0;
}

uint64_t qn_operand_at(const struct qn_mem *m, uint64_t next, uint64_t al)
{
    uint64_t at = (uint64_t)m->disp + al;

    if (m->base == QN_RIP)
        at += next;
    else if (m->base != QN_REG_NONE)
        at += qn_ctx.gpr[m->base];
    if (m->index != QN_REG_NONE)
        at += qn_ctx.gpr[m->index] * (m->scale ? m->scale : 1);
    return (m->addr32 ? (uint32_t)at : at) + qn_operand_segment(m);
}

uint64_t qn_operand_address(const struct qn_insn *in, const struct qn_mem *m, uint64_t pc)
{
    return qn_operand_at(m, pc + in->len, qn_is_xlat(in) ? qn_ctx.gpr[QN_RAX] & 0xff : 0);
}
