/* lib/decode/registers.c - vector, mask, x87, segment and system registers that an instruction reads and writes.
 *
 *   62 f1 7d 29 fe d1  vpaddd %ymm1,%ymm0,%ymm2{%k1}  reads vector 0 1 2, mask 1; writes vector 2
 *   de c1              faddp %st,%st(1)               reads x87 0 1, control and status; writes x87 1, status
 *
 * decode.c does not compute them, so only callers that ask for them spend this time. */
#include "tables.h"

struct access {
    struct qn_registers *reads, *writes;
    const struct qn_insn *insn;
    const struct row *row;
    bool saves; /* stores or loads the whole state of a unit, but does not compute */
};

/* Where an operand has its register number from. */
enum source { FROM_REG, FROM_RM, FROM_VVVV, FROM_ARG, FROM_IMMEDIATE };

static const struct {
    uint8_t named; /* is there one? */
    uint8_t kind;  /* enum qn_register_kind */
    uint8_t from;  /* enum source */
} operand_registers[] = {
    [K_VEC_REG] = {1, QN_KIND_VECTOR, FROM_REG},
    [K_VEC_RM] = {1, QN_KIND_VECTOR, FROM_RM}, /* or what arg says; if it is a register */
    [K_VEC_U] = {1, QN_KIND_VECTOR, FROM_RM},
    [K_VEC_VVVV] = {1, QN_KIND_VECTOR, FROM_VVVV},
    [K_VEC_IMM] = {1, QN_KIND_VECTOR, FROM_IMMEDIATE},
    [K_NAMED] = {1, QN_KIND_VECTOR, FROM_ARG},
    [K_MMX_REG] = {1, QN_KIND_MMX, FROM_REG},
    [K_MMX_U] = {1, QN_KIND_MMX, FROM_RM},
    [K_MASK_REG] = {1, QN_KIND_MASK, FROM_REG},
    [K_MASK_U] = {1, QN_KIND_MASK, FROM_RM},
    [K_MASK_VVVV] = {1, QN_KIND_MASK, FROM_VVVV},
    [K_TILE_REG] = {1, QN_KIND_TILE, FROM_REG},
    [K_TILE_U] = {1, QN_KIND_TILE, FROM_RM},
    [K_TILE_VVVV] = {1, QN_KIND_TILE, FROM_VVVV},
    [K_SEG_REG] = {1, QN_KIND_SEGMENT, FROM_REG},
    [K_SEG_FIXED] = {1, QN_KIND_SEGMENT, FROM_ARG},
    [K_CTRL_REG] = {1, QN_KIND_CONTROL, FROM_REG},
    [K_CTRL_FIXED] = {1, QN_KIND_CONTROL, FROM_ARG},
    [K_DEBUG_REG] = {1, QN_KIND_DEBUG, FROM_REG},
    [K_BOUND_REG] = {1, QN_KIND_BOUND, FROM_REG},
    [K_X87] = {1, QN_KIND_X87, FROM_ARG},
    [K_X87_RM] = {1, QN_KIND_X87, FROM_RM},
    [K_STATE] = {1, QN_KIND_STATE, FROM_ARG},
    [K_COUNT - 1] = {0, 0, 0},
};

static void touch(struct access *a, enum qn_register_kind kind, uint32_t mask, unsigned how)
{
    if (how & QN_ACC_READ)
        a->reads->of[kind] |= mask;
    if (how & QN_ACC_WRITE)
        a->writes->of[kind] |= mask;
}

static uint32_t vectors_up_to(const struct qn_insn *insn, unsigned n)
{
    return insn->machine & QN_MACHINE_32 ? 0xff : (uint32_t)((1ull << n) - 1);
}

static void touch_saved(struct access *a, enum saved_state what, unsigned how)
{
    touch(a, QN_KIND_STATE, QN_STATE_X87_CONTROL | QN_STATE_X87_STATUS, how);
    if (what >= SAVED_X87)
        touch(a, QN_KIND_X87, 0xff, how);
    if (what >= SAVED_SSE) {
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, how);
        touch(a, QN_KIND_VECTOR, vectors_up_to(a->insn, what == SAVED_ALL ? 32 : 16), how);
    }
    if (what == SAVED_ALL) {
        touch(a, QN_KIND_MASK, 0xff, how);
        touch(a, QN_KIND_TILE, 0xff, how);
        touch(a, QN_KIND_BOUND, 0xf, how);
        touch(a, QN_KIND_STATE, QN_STATE_PKRU, how);
    }
}

static unsigned register_number(const struct qn_insn *insn, const struct operand_info *info)
{
    switch (operand_registers[info->kind].from) {
    case FROM_REG:
        return insn->reg;
    case FROM_VVVV:
        return insn->vvvv;
    case FROM_ARG:
        return info->arg;
    case FROM_IMMEDIATE:
        return insn->imm >> 4 & (insn->machine & QN_MACHINE_32 ? 7 : 15);
    default:
        return insn->rm;
    }
}

/* There are 32 vector registers, 16 control registers, and 8 of most; higher bits of a number do not count. */
static uint32_t register_mask(const struct qn_insn *insn, enum qn_register_kind kind, unsigned n)
{
    static const uint8_t segments[8] = {QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS, QN_SEG_FS, QN_SEG_GS};

    switch (kind) {
    case QN_KIND_VECTOR:
        return 1u << n;
    case QN_KIND_SEGMENT:
        return 1u << segments[n & 7];
    case QN_KIND_CONTROL: /* AMD: lock makes cr8 of cr0 */
        return insn->attr & QN_ATTR_LOCK ? 1u << 8 : 1u << (n & 15);
    case QN_KIND_DEBUG:
    case QN_KIND_STATE:
        return 1u << (n & 15);
    default:
        return 1u << (n & 7);
    }
}

static void touch_named(struct access *a, const struct operand_info *info, unsigned how)
{
    static const uint8_t kind_of_rm[] = {QN_KIND_VECTOR, QN_KIND_MMX, QN_KIND_MASK, QN_KIND_BOUND};
    enum qn_register_kind kind = operand_registers[info->kind].kind;

    if (!operand_registers[info->kind].named)
        return;
    if (info->kind == K_VEC_RM) {
        if (a->insn->modrm < 0xc0)
            return; /* memory */
        kind = kind_of_rm[info->arg];
    }
    touch(a, kind, register_mask(a->insn, kind, register_number(a->insn, info)), how);
}

static void touch_operand(struct access *a, const struct operand_info *info, unsigned how)
{
    switch (info->kind) {
    case K_VSIB:
        touch(a, QN_KIND_VECTOR, 1u << a->insn->mem[0].index, QN_ACC_READ);
        break;
    case K_VEC_FOUR:
        touch(a, QN_KIND_VECTOR, 0xfu << (a->insn->vvvv & ~3u), how);
        break;
    case K_XMM_LIST:
        touch(a, QN_KIND_VECTOR, info->arg, how);
        break;
    case K_ALL_VECTORS:
        touch(a, QN_KIND_VECTOR, vectors_up_to(a->insn, 16), how);
        break;
    case K_SAVED:
        a->saves = true;
        touch_saved(a, info->arg, how);
        break;
    case K_MASK_PAIR:
        touch(a, QN_KIND_MASK, 3u << (a->insn->reg & 6), how);
        break;
    default:
        touch_named(a, info, how);
        break;
    }
}

/* A destination that is written only in part keeps its other bits, so it counts as read. */
static bool keeps_destination(const struct access *a, const struct operand_info *info)
{
    bool unmasked = !a->insn->kreg || (a->insn->attr & QN_ATTR_ZEROING);

    if (a->row->traits & KEEP)
        return a->insn->modrm >= 0xc0;
    return !unmasked && info->kind != K_MASK_REG && !(a->row->traits & SEL);
}

/* Masks, and what is the same for all instructions of a unit. */
static void touch_besides(struct access *a)
{
    uint32_t attr = a->insn->attr;
    bool by_element = attr & (QN_ATTR_GATHER | QN_ATTR_SCATTER); /* the mask's bits are cleared one after the other */
    bool mmx = a->reads->of[QN_KIND_MMX] | a->writes->of[QN_KIND_MMX];
    bool x87 = (attr & QN_ATTR_X87) && !a->saves;

    if (a->insn->kreg)
        touch(a, QN_KIND_MASK, 1u << a->insn->kreg, by_element ? QN_ACC_READ | QN_ACC_WRITE : QN_ACC_READ);
    if (x87)
        touch(a, QN_KIND_STATE, QN_STATE_X87_CONTROL, QN_ACC_READ);
    if (x87 || mmx)
        touch(a, QN_KIND_STATE, QN_STATE_X87_STATUS, QN_ACC_READ | QN_ACC_WRITE);
    if (a->row->traits & FPC)
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, QN_ACC_READ);
    if (a->row->traits & FP)
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, attr & QN_ATTR_SAE ? QN_ACC_READ : QN_ACC_READ | QN_ACC_WRITE);
}

void qn_decode_registers(const struct qn_insn *insn, struct qn_registers *reads, struct qn_registers *writes)
{
    struct access a = {reads, writes, insn, &qn_decode_rows[insn->entry], false};
    uint64_t operands = a.row->operands;

    *reads = *writes = (struct qn_registers){{0}};
    for (bool first = true; operands; operands >>= 16, first = false) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        unsigned how = OPERAND_ACCESS(operands);
        if (first && (how & QN_ACC_WRITE) && keeps_destination(&a, info))
            how |= QN_ACC_READ;
        touch_operand(&a, info, how);
    }
    touch_besides(&a);
}
