/* lib/decode/operands.c - from a row's operands to facts: registers, immediates; memory.c has the memory.
 *
 *   81 c1 00 01 00 00   row O(RW(Ev), R(Iz))  ->  reads rcx, writes rcx, imm 256 at offset 2, 4 bytes
 *
 * Operands are taken in the order of the row, which is also that of their immediates. */
#include "decoder.h"

/* A general register as an operand.  A write of 8 or 16 bits keeps the other bits, so it counts as a read, too. */
static void use_gpr(struct decoder *d, unsigned reg, unsigned size, unsigned access)
{
    bool reads = (access & QN_ACC_READ) | ((access != 0) & (size < 4));

    if (size == 1 && reg - QN_RSP < 4 && !d->rex && !is_vector_encoding(d))
        reg -= QN_RSP; /* ah ch dh bh */
    d->insn->reads |= reads << reg;
    d->insn->writes |= (access >> 1) << reg;
}

static enum qn_decode_status take_immediate(struct decoder *d, const struct operand_info *info)
{
    struct qn_insn *insn = d->insn;
    unsigned n = qn_decode_operand_bytes(d, info->size);

    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    insn->imm = read_signed(d, n);
    if (info->kind == K_IMM || info->kind == K_VEC_IMM || info->kind == K_FAR)
        insn->imm &= ((int64_t)1 << 8 * n) - 1;
    else if (info->kind == K_REL)
        insn->target_rel = insn->imm;
    if (!insn->imm_off)
        insn->imm_off = d->pos;
    insn->imm_len += n;
    d->pos += n;
    return QN_DEC_OK;
}

static enum qn_decode_status take_other_operand(struct decoder *d, const struct operand_info *info, unsigned access)
{
    switch (info->kind) {
    case K_MEM:
        if (d->mod == 3)
            return QN_DEC_INVALID;
        if (d->opcode_map == MAP_LEG0 && !access)
            d->mem.seg = QN_SEG_NONE; /* lea */
        qn_decode_modrm_mem(d, qn_decode_operand_bytes(d, info->memsize), access);
        return QN_DEC_OK;
    case K_IMM:
    case K_IMM_SIGNED:
    case K_REL:
    case K_VEC_IMM:
    case K_FAR:
        return take_immediate(d, info);
    case K_VEC_VVVV:
    case K_VEC_FOUR:
    case K_MASK_VVVV:
    case K_TILE_VVVV:
        d->vvvv_used = 1;
        return QN_DEC_OK;
    case K_VEC_U:
    case K_MMX_U:
    case K_MASK_U:
    case K_TILE_U:
        return d->mod == 3 ? QN_DEC_OK : QN_DEC_INVALID;
    case K_VSIB:
        return qn_decode_vsib_mem(d, info->arg, access);
    default:
        return qn_decode_implicit_mem(d, info, access);
    }
}

static enum qn_decode_status take_operand(struct decoder *d, const struct operand_info *info, unsigned access)
{
    unsigned reg;

    switch (info->kind) {
    case K_RM:
    case K_VEC_RM:
        if (d->mod != 3) {
            qn_decode_modrm_mem(d, qn_decode_operand_bytes(d, info->memsize), access);
            return QN_DEC_OK;
        }
        if (info->kind == K_VEC_RM)
            return QN_DEC_OK;
        reg = d->rm | d->b;
        break;
    case K_REG:
        reg = d->reg | (d->r & 8);
        break;
    case K_GPR_OPCODE:
        reg = (d->insn->opcode & 7) | d->b;
        break;
    case K_GPR_FIXED:
        reg = info->arg;
        break;
    case K_RM_GPR:
        reg = d->rm | d->b;
        break;
    case K_VVVV_GPR:
        reg = d->vvvv & 15;
        d->vvvv_used = 1;
        break;
    default:
        return take_other_operand(d, info, access);
    }
    use_gpr(d, reg, qn_decode_operand_bytes(d, info->size), access);
    return QN_DEC_OK;
}

static uint32_t attributes_of_evex(const struct decoder *d)
{
    return (d->insn->kreg ? QN_ATTR_KMASK : 0) | (d->zeroing ? QN_ATTR_ZEROING : 0) |
           (d->broadcast && d->mod == 3 ? QN_ATTR_SAE : 0);
}

enum qn_decode_status qn_decode_operand_facts(struct decoder *d)
{
    struct qn_insn *insn = d->insn;
    uint64_t operands = d->row->operands;
    const struct operand_info *first = &qn_decode_operands[OPERAND_CODE(operands)];
    uint32_t attr = TRAIT_ATTR(d->row->traits);

    if (d->mod == 3)
        attr &= ~(QN_ATTR_XCHGMEM | QN_ATTR_BT_REG | QN_ATTR_BROADCAST);
    if (d->lock)
        attr |= QN_ATTR_LOCK;
    insn->attr = insn->encoding == QN_ENC_EVEX ? attr | attributes_of_evex(d) : attr;
    insn->opsize = qn_decode_operand_bytes(d, first->reported);
    if (insn->encoding == QN_ENC_EVEX && first->reported == SZ_V)
        insn->opsize = d->vector;
    for (; operands; operands >>= 16) {
        enum qn_decode_status status =
            take_operand(d, &qn_decode_operands[OPERAND_CODE(operands)], OPERAND_ACCESS(operands));
        if (status != QN_DEC_OK)
            return status;
    }
    return d->vvvv_given && !d->vvvv_used ? QN_DEC_INVALID : QN_DEC_OK;
}
