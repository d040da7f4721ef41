/* lib/decode/print_operand.c - one operand as text: registers, immediates, branch targets; memory is print_memory.c's.
 *
 *   48 83 e4 f0  row O(RW(Ev), R(sIb))  ->  %rsp and $0xfffffffffffffff0, rsp and 0xfffffffffffffff0
 *
 * While printing, the printer notes which prefixes had a meaning (struct printer). */
#include "printer.h"

void qn_decode_put_immediate_value(struct printer *p, uint64_t value)
{
    qn_decode_put(p, p->intel ? "0x" : "$0x");
    qn_decode_put_hex(p, value);
}

/* Signed immediates are shown as wide as the operation is. */
void qn_decode_put_immediate(struct printer *p, const struct operand_info *info, unsigned offset)
{
    int64_t value = read_exactly(p->d->bytes + offset, qn_decode_operand_bytes(p->d, info->size));
    bool wide = info->kind == K_IMM_SIGNED && info->size != SZ_V;

    qn_decode_put_immediate_value(p, cut(value, qn_decode_note_bytes(p, wide ? SZ_V : info->size)));
}

static void put_vector(struct printer *p, unsigned n, unsigned size_code)
{
    if (size_code == SZ_X || size_code == SZ_64 || (size_code == SZ_H && p->d->vector == 64))
        p->length_shown = true;
    qn_decode_put_vector(p, n, qn_decode_operand_bytes(p->d, size_code));
}

static unsigned rm_vector_number(const struct printer *p)
{
    const struct decoder *d = p->d;

    return d->rm | d->b | (p->insn->encoding == QN_ENC_EVEX ? d->x << 1 : 0);
}

static void put_vector_rm(struct printer *p, const struct operand_info *info)
{
    static const char *const other[] = {NULL, "mm", "k", "bnd"};

    if (p->d->mod != 3) {
        qn_decode_put_memory(p, info);
    } else if (info->arg) {
        qn_decode_put_numbered(p, other[info->arg], p->d->rm);
    } else {
        note_rex(p, 1);
        put_vector(p, rm_vector_number(p), info->size);
    }
}

static void put_rm(struct printer *p, const struct operand_info *info, bool register_only)
{
    if (p->d->mod != 3 && !register_only) {
        qn_decode_put_memory(p, info);
        return;
    }
    note_rex(p, 1);
    qn_decode_put_gpr(p, p->d->rm | p->d->b, qn_decode_note_bytes(p, info->size));
}

static void put_x87(struct printer *p, unsigned arg)
{
    qn_decode_put(p, p->intel ? "st" : "%st");
    if (!arg)
        return;
    qn_decode_put_char(p, '(');
    qn_decode_put_number(p, p->d->rm);
    qn_decode_put_char(p, ')');
}

static void put_fixed(struct printer *p, const struct operand_info *info)
{
    if (info->arg == QN_RDX && info->size == SZ_2)
        qn_decode_put(p, p->intel ? "dx" : "(%dx)");
    else
        qn_decode_put_gpr(p, info->arg, qn_decode_note_bytes(p, info->size));
}

/* AMD: lock before mov to and from cr0 makes it cr8 (APM vol. 3, MOV CRn). */
static void put_control(struct printer *p, const char *name, bool lock_adds_8)
{
    unsigned n = p->d->reg | (p->d->r & 8);

    note_rex(p, 4);
    if (lock_adds_8 && p->d->lock && (p->d->on & ON_AMD)) {
        p->lock_used = true;
        n |= 8;
    }
    qn_decode_put_numbered(p, name, n);
}

/* selector, offset: ptr16:32 */
static void put_far(struct printer *p)
{
    unsigned n = p->insn->imm_len - 2;

    qn_decode_note_bytes(p, SZ_V);
    qn_decode_put_immediate_value(p, p->insn->imm >> 8 * n & 0xffff);
    qn_decode_put_char(p, p->intel ? ':' : ',');
    qn_decode_put_immediate_value(p, cut(p->insn->imm, n));
}

/* 66h before a displacement of one byte is printed by name, whatever it does. */
static void put_target(struct printer *p, const struct operand_info *info)
{
    qn_decode_note_bytes(p, info->size);
    qn_decode_put_hex(p, qn_decode_target(p->insn, p->pc));
}

/* Operands that ModRM does not encode. */
static void put_other(struct printer *p, const struct operand_info *info)
{
    struct decoder *d = p->d;

    switch (info->kind) {
    case K_GPR_OPCODE:
        note_rex(p, 1);
        qn_decode_put_gpr(p, (p->insn->opcode & 7) | d->b, qn_decode_note_bytes(p, info->size));
        break;
    case K_GPR_FIXED:
        put_fixed(p, info);
        break;
    case K_VVVV_GPR:
        qn_decode_put_gpr(p, d->vvvv & 15, qn_decode_note_bytes(p, info->size));
        break;
    case K_VEC_VVVV:
    case K_VEC_FOUR: /* as one: the manual's zmm4+3 is %zmm4 here */
        put_vector(p, d->vvvv, info->size);
        break;
    case K_VEC_IMM:
        put_vector(p, p->insn->imm >> 4 & (d->mode32 ? 7 : 15), info->memsize);
        break;
    case K_REL:
        put_target(p, info);
        break;
    case K_FAR:
        put_far(p);
        break;
    case K_NAMED:
        qn_decode_put_numbered(p, "xmm", info->arg);
        break;
    case K_ONE:
        qn_decode_put_char(p, '1');
        break;
    case K_SEG_FIXED:
        qn_decode_put_segment_name(p, info->arg);
        break;
    case K_X87:
        put_x87(p, false);
        break;
    case K_X87_RM:
        put_x87(p, true);
        break;
    default:
        qn_decode_put_implicit_memory(p, info);
        break;
    }
}

/* Registers of ModRM.reg and VEX.vvvv that are neither general nor vectors; false: not one of these. */
static bool put_special_register(struct printer *p, const struct operand_info *info)
{
    static const struct {
        uint8_t kind;
        char name[4];
        char field; /* g ModRM.reg, r ModRM.rm, v vvvv */
    } special[] = {
        {K_MMX_REG, "mm", 'g'},   {K_MMX_U, "mm", 'r'},    {K_MASK_REG, "k", 'g'},   {K_MASK_PAIR, "k", 'g'},
        {K_MASK_U, "k", 'r'},     {K_MASK_VVVV, "k", 'v'}, {K_TILE_REG, "tmm", 'g'},
        {K_TILE_U, "tmm", 'r'},   {K_TILE_VVVV, "tmm", 'v'}, {K_BOUND_REG, "bnd", 'g'},
    };

    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].kind == info->kind) {
            char field = special[i].field;
            unsigned n = field == 'g' ? p->d->reg : field == 'r' ? p->d->rm : p->d->vvvv & 7;
            qn_decode_put_numbered(p, special[i].name, n);
            return true;
        }
    return false;
}

void qn_decode_put_operand(struct printer *p, const struct operand_info *info)
{
    struct decoder *d = p->d;

    if (put_special_register(p, info))
        return;
    switch (info->kind) {
    case K_RM:
        put_rm(p, info, false);
        break;
    case K_RM_GPR:
        put_rm(p, info, true);
        break;
    case K_REG:
        note_rex(p, 4);
        qn_decode_put_gpr(p, d->reg | (d->r & 8), qn_decode_note_bytes(p, info->size));
        break;
    case K_VEC_REG:
        note_rex(p, 4);
        put_vector(p, d->reg | d->r, info->size);
        break;
    case K_MEM:
    case K_VSIB:
        qn_decode_put_memory(p, info);
        break;
    case K_VEC_RM:
    case K_VEC_U:
        put_vector_rm(p, info);
        break;
    case K_SEG_REG:
        qn_decode_put_segment_name(p, d->reg);
        break;
    case K_CTRL_REG:
        put_control(p, "cr", true);
        break;
    case K_DEBUG_REG:
        put_control(p, p->intel ? "dr" : "db", false);
        break;
    default:
        put_other(p, info);
        break;
    }
}
