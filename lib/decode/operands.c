/* lib/decode/operands.c - from a row's operands to facts: sizes, memory, registers, immediates.
 *
 *   81 c1 00 01 00 00   row O(RW(Ev), R(Iz))  ->  reads rcx, writes rcx, imm 256 at offset 2, 4 bytes
 *
 * Operands are taken in the order of the row, which is also that of their immediates. */
#include "decoder.h"

/* ---- operand size and vector length of an instruction, and what they make of an operand's size ----
 *
 *   66 89 c8   operand size 2            SZ_V 2, SZ_Z 2, SZ_Y 4
 *   48 89 c8   REX.W: operand size 8     SZ_V 8, SZ_Z 4, SZ_Y 8
 *   66 c3      near branches (F64): 8 on Intel's processors, 2 on AMD's (SDM vol. 2D, table A-1; APM vol. 3, 1.2.7)
 *
 * Sizes are looked up in a table, because a processor predicts branches on REX.W and ModRM.mod badly.
 */

#define VECTORS(x, y, z) x, y, z, x, y, z, x, y, z           /* by vector length */
#define OPERANDS(w, d, q) w, w, w, d, d, d, q, q, q          /* by operand size */
#define ALWAYS(n) OPERANDS(n, n, n)

const uint16_t qn_decode_bytes[SZ_BY_MACHINE][SIZE_STATES] = {
    [SZ_1] = {ALWAYS(1)},
    [SZ_2] = {ALWAYS(2)},
    [SZ_4] = {ALWAYS(4)},
    [SZ_8] = {ALWAYS(8)},
    [SZ_10] = {ALWAYS(10)},
    [SZ_16] = {ALWAYS(16)},
    [SZ_32] = {ALWAYS(32)},
    [SZ_48] = {ALWAYS(48)},
    [SZ_64] = {ALWAYS(64)},
    [SZ_512] = {ALWAYS(512)},
    [SZ_OWORD] = {ALWAYS(16)},
    [SZ_V] = {OPERANDS(2, 4, 8)},
    [SZ_Z] = {OPERANDS(2, 4, 4)},
    [SZ_Y] = {OPERANDS(4, 4, 8)},
    [SZ_A] = {OPERANDS(4, 8, 16)},
    [SZ_ENV] = {OPERANDS(14, 28, 28)},
    [SZ_SAVE] = {OPERANDS(94, 108, 108)},
    [SZ_X] = {VECTORS(16, 32, 64)},
    [SZ_H] = {VECTORS(8, 16, 32)},
    [SZ_F] = {VECTORS(4, 8, 16)},
    [SZ_E] = {VECTORS(2, 4, 8)},
};

/* Binary logarithm of the operand size, less 1, by W, 66h, and the row's D64 and F64. */
#define PLAIN_D64_F64(plain, d64, f64) plain, d64, f64, f64
static const uint8_t size_64_intel[16] = {
    PLAIN_D64_F64(1, 2, 2), PLAIN_D64_F64(0, 0, 2), PLAIN_D64_F64(2, 2, 2), PLAIN_D64_F64(2, 2, 2)};
static const uint8_t size_64_amd[16] = {
    PLAIN_D64_F64(1, 2, 2), PLAIN_D64_F64(0, 0, 0), PLAIN_D64_F64(2, 2, 2), PLAIN_D64_F64(2, 2, 2)};
static const uint8_t size_32[16] = {
    PLAIN_D64_F64(1, 1, 1), PLAIN_D64_F64(0, 0, 0), PLAIN_D64_F64(1, 1, 1), PLAIN_D64_F64(0, 0, 0)};

void qn_decode_sizes(struct decoder *d)
{
    const uint8_t *sizes = d->mode32 ? size_32 : d->on & ON_AMD ? size_64_amd : size_64_intel;
    unsigned index = d->w << 3 | TRAIT_SIZE(d->row->traits);
    unsigned state;

    if (d->insn->opsz_prefix && !((d->row->when >> 16 & 3) == 3 && d->pp == 1))
        index |= 4; /* not where 66h is part of the opcode */
    state = sizes[index];
    d->opsize = 2 << state;
    d->vector = 16 << d->length_code;
    d->size_state = state * 3 + d->length_code;
}

unsigned qn_decode_odd_bytes(const struct decoder *d, unsigned size)
{
    switch (size) {
    case SZ_N:
        return d->mode32 ? 4 : 8;
    case SZ_ADDR:
        return d->addr_size;
    case SZ_P:
        return (d->on & ON_AMD && d->opsize == 8 ? 4 : d->opsize) + 2; /* AMD ignores REX.W */
    case SZ_S:
        return d->mode32 ? 6 : 10;
    default: /* SZ_MOVSXD */
        return d->opsize == 2 && (d->on & ON_INTEL) ? 2 : 4;
    }
}

/* ---- memory operands: address, size, access, and what masks and broadcasts make of them ----
 *
 *   push 8(%rsp)        row O(R(Ev), H(W(PUSH)))  ->  mem[0] = {rsp, disp 8, read}, mem[1] = {rsp, disp -8, write},
 *                                                     reads rsp, writes rsp
 *   62 ... 40 01 {1to16}                          ->  disp 4: the displacement byte counts elements
 *
 * Operands are entered in the order in which the row names them, which is the order in which the processor touches
 * them (cmps: that of the SDM, rsi before rdi).  Address registers count as read.
 */

/* Enter a memory operand; its address registers are read. */
static struct qn_mem *add_mem(struct decoder *d, const struct qn_mem *mem, unsigned size, unsigned access)
{
    struct qn_insn *insn = d->insn;
    struct qn_mem *m = &insn->mem[insn->n_mem++];

    *m = *mem;
    m->size = size;
    m->access = access;
    insn->reads |= 1u << m->base; /* QN_RIP and QN_REG_NONE fall off */
    insn->reads |= (uint32_t)!m->vsib << m->index;
    return m;
}

/* An implicit operand {base, disp} with the address size of the instruction and, unless a prefix says otherwise, the
 * data segment. */
static struct qn_mem *add_implicit(struct decoder *d, unsigned base, unsigned size, unsigned access)
{
    struct qn_mem mem = {.base = base,
                         .index = QN_REG_NONE,
                         .scale = 1,
                         .seg = d->segment ? d->segment : qn_decode_default_segment(d, QN_REG_NONE),
                         .addr32 = d->addr_size == 4,
                         .addr16 = d->addr_size == 2};

    return add_mem(d, &mem, size, access);
}

/* On the stack, whose addresses are as wide as the mode's (SS.B is taken for 1). */
static void add_stack(struct decoder *d, unsigned base, int64_t disp, unsigned size, unsigned access)
{
    struct qn_mem mem = {.disp = disp,
                         .base = base,
                         .index = QN_REG_NONE,
                         .scale = 1,
                         .seg = qn_decode_default_segment(d, QN_RSP),
                         .addr32 = d->mode32};

    add_mem(d, &mem, size, access);
}

/* What a mask, a broadcast, or disp8*N make of a vector's memory operand. */
static void apply_evex(struct decoder *d, struct qn_mem *m)
{
    uint64_t traits = d->row->traits;
    unsigned elem = TRAIT_ELEM(traits);
    bool one_unit = traits & A(BROADCAST);

    if (d->broadcast) {
        m->size = elem;
        d->insn->attr |= QN_ATTR_BROADCAST;
    }
    if (d->insn->disp_len == 1 && m->is_modrm)
        m->disp *= traits & T1 ? elem : m->size;
    if (d->insn->kreg && (elem || one_unit) && (!(traits & NF) || d->broadcast)) {
        d->insn->attr |= QN_ATTR_MASKED;
        m->elem = elem ? elem : m->size;
    }
}

static void finish_vector_mem(struct decoder *d, struct qn_mem *m)
{
    struct qn_insn *insn = d->insn;
    uint64_t traits = d->row->traits;

    if (insn->encoding == QN_ENC_EVEX)
        apply_evex(d, m);
    if (traits & (MSKH | MSKU)) {
        m->elem = TRAIT_ELEM(traits);
        insn->attr |= QN_ATTR_MASKED;
        insn->vreg_mask = traits & MSKH ? d->vvvv : d->rm | d->b;
    }
    if (traits & (A(GATHER) | A(SCATTER)))
        m->elem = TRAIT_ELEM(traits);
    if (m->is_modrm && (m->access & QN_ACC_WRITE) && (insn->attr & (QN_ATTR_MASKED | QN_ATTR_SCATTER)))
        insn->attr |= QN_ATTR_MEM_DST;
}

static void modrm_mem(struct decoder *d, unsigned size, unsigned access)
{
    struct qn_mem *m = add_mem(d, &d->mem, size, access);

    if (d->popped && m->base == QN_RSP)
        m->disp += d->popped; /* SDM, POP: the address is computed after the increment */
    if (is_vector_encoding(d) || (d->row->traits & MSKU))
        finish_vector_mem(d, m);
}

/* Vector index: as many elements as both the index and the data vector have. */
static enum qn_decode_status vsib_mem(struct decoder *d, unsigned index_bytes, unsigned access)
{
    unsigned elem = TRAIT_ELEM(d->row->traits);
    unsigned wider = index_bytes > elem ? index_bytes : elem;
    unsigned upper = d->insn->encoding == QN_ENC_EVEX ? d->vvvv & 16 : 0;

    if (d->mod == 3 || d->rm != 4 || d->addr_size == 2)
        return QN_DEC_INVALID;
    d->mem.index = (d->sib >> 3 & 7) | d->x | upper;
    d->mem.scale = 1 << (d->sib >> 6);
    d->mem.vsib = index_bytes;
    if (upper) {
        d->vvvv -= 16;
        d->vvvv_given = d->vvvv != 0;
    }
    modrm_mem(d, d->vector / wider * elem, access);
    return QN_DEC_OK;
}

/* mov between rax and an absolute address as wide as addresses are */
static enum qn_decode_status absolute_mem(struct decoder *d, unsigned size, unsigned access)
{
    unsigned n = d->addr_size;
    struct qn_mem *m;

    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    m = add_implicit(d, QN_REG_NONE, size, access);
    m->disp = read_signed(d, n);
    if (n < 8)
        m->disp &= ((int64_t)1 << 8 * n) - 1;
    d->insn->disp_off = d->pos;
    d->insn->disp_len = n;
    d->pos += n;
    return QN_DEC_OK;
}

/* String operands: the register steps by the size each time.  What rdi points to is in es whatever prefix there is. */
static void string_mem(struct decoder *d, unsigned reg, unsigned size, unsigned access)
{
    struct qn_mem *m = add_implicit(d, reg, size, access);

    if (reg == QN_RDI)
        m->seg = d->mode32 ? QN_SEG_ES : QN_SEG_NONE;
    d->insn->writes |= 1u << reg;
}

/* Address rbx + al: the index is only the low byte of rax. */
static void xlat_mem(struct decoder *d, unsigned access)
{
    add_implicit(d, QN_RBX, 1, access)->index = QN_RAX;
    d->insn->reads |= 1u << QN_RAX;
}

static void stack_mem(struct decoder *d, const struct operand_info *info, unsigned access)
{
    unsigned size = qn_decode_operand_bytes(d, info->memsize) * (info->arg ? info->arg : 1);

    d->insn->reads |= 1u << QN_RSP;
    d->insn->writes |= 1u << QN_RSP;
    switch (info->kind) {
    case K_PUSH:
        add_stack(d, QN_RSP, -(int64_t)size, size, access);
        break;
    case K_POP:
        add_stack(d, QN_RSP, 0, size, access);
        d->popped = size;
        break;
    case K_LEAVE:
        add_stack(d, QN_RBP, 0, size, access);
        d->insn->reads &= ~(1u << QN_RSP);
        d->insn->writes |= 1u << QN_RBP;
        break;
    default: /* enter: the nested frame pointers that a level > 0 copies are not given */
        add_stack(d, QN_RSP, -(int64_t)size, size, access);
        d->insn->reads |= 1u << QN_RBP;
        d->insn->writes |= 1u << QN_RBP;
        break;
    }
}

static enum qn_decode_status implicit_mem(struct decoder *d, const struct operand_info *info, unsigned access)
{
    unsigned size = qn_decode_operand_bytes(d, info->memsize);

    switch (info->kind) {
    case K_MOFFS:
        return absolute_mem(d, size, access);
    case K_STRING_SRC:
        string_mem(d, QN_RSI, size, access);
        break;
    case K_STRING_DST:
        string_mem(d, QN_RDI, size, access);
        break;
    case K_PUSH:
    case K_POP:
    case K_LEAVE:
    case K_ENTER:
        stack_mem(d, info, access);
        break;
    case K_XLAT:
        xlat_mem(d, access);
        break;
    case K_MASKMOV:
        finish_vector_mem(d, add_implicit(d, QN_RDI, size, access));
        break;
    case K_REG_MEM: /* movdir64b, enqcmd: in es whatever prefix there is */
        add_implicit(d, d->reg | (d->r & 8), size, access)->seg = d->mode32 ? QN_SEG_ES : QN_SEG_NONE;
        break;
    case K_RAX_MEM:
        add_implicit(d, QN_RAX, size, access);
        break;
    default:
        break;
    }
    return QN_DEC_OK;
}

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
        modrm_mem(d, qn_decode_operand_bytes(d, info->memsize), access);
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
        return vsib_mem(d, info->arg, access);
    default:
        return implicit_mem(d, info, access);
    }
}

static enum qn_decode_status take_operand(struct decoder *d, const struct operand_info *info, unsigned access)
{
    unsigned reg;

    switch (info->kind) {
    case K_RM:
    case K_VEC_RM:
        if (d->mod != 3) {
            modrm_mem(d, qn_decode_operand_bytes(d, info->memsize), access);
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
