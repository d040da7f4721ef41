/* lib/decode/operands.c - from a row's operands to facts: memory operands, registers, immediates.
 *
 *   push 8(%rsp)  row O(R(Ev), H(W(PUSH)))  ->  mem[0] = {rsp, disp 8, read}, mem[1] = {rsp, disp -8, write},
 *                                               reads rsp, writes rsp
 *
 * Memory operands are entered in the order in which the row names them, which is the order in which the
 * processor touches them (cmps: that of the SDM, rsi before rdi). */
#include "decoder.h"

static unsigned bytes_of(const struct decoder *d, unsigned size)
{
    static const uint16_t fixed[SZ_V] = {
        [SZ_1] = 1,   [SZ_2] = 2,   [SZ_4] = 4,   [SZ_8] = 8,   [SZ_10] = 10,
        [SZ_16] = 16, [SZ_32] = 32, [SZ_48] = 48, [SZ_64] = 64, [SZ_512] = 512,
    };

    if (size < SZ_V)
        return fixed[size];
    switch (size) {
    case SZ_V:
        return d->opsize;
    case SZ_Z:
        return d->opsize == 2 ? 2 : 4;
    case SZ_Y:
        return d->w ? 8 : 4;
    case SZ_ENV:
        return d->opsize == 2 ? 14 : 28;
    case SZ_SAVE:
        return d->opsize == 2 ? 94 : 108;
    case SZ_P:
        return d->opsize + 2;
    case SZ_H:
        return d->vector / 2;
    case SZ_F:
        return d->vector / 4;
    case SZ_E:
        return d->vector / 8;
    default:
        return d->vector;
    }
}

unsigned qn_decode_operand_bytes(const struct decoder *d, unsigned size)
{
    return bytes_of(d, size);
}

/* A register operand.  Writing 8 or 16 bits keeps the rest of the register, so it reads too. */
static void use_gpr(struct decoder *d, unsigned reg, unsigned size, unsigned access)
{
    uint16_t bit;

    if (size == 1 && reg - QN_RSP < 4 && !d->rex && !is_vector_encoding(d))
        reg -= QN_RSP; /* ah ch dh bh */
    bit = 1u << reg;
    if ((access & QN_ACC_READ) || (access && size < 4))
        d->insn->reads |= bit;
    if (access & QN_ACC_WRITE)
        d->insn->writes |= bit;
}

/* Enter a memory operand; its address registers are read. */
static struct qn_mem *add_mem(struct decoder *d, const struct qn_mem *mem, unsigned size, unsigned access)
{
    struct qn_insn *insn = d->insn;
    struct qn_mem *m = &insn->mem[insn->n_mem++];

    *m = *mem;
    m->size = size;
    m->access = access;
    if (m->base < QN_RIP)
        insn->reads |= 1u << m->base;
    if (m->index < QN_RIP && !m->vsib)
        insn->reads |= 1u << m->index;
    return m;
}

/* An implicit operand {base, disp}. */
static struct qn_mem *add_implicit(struct decoder *d, unsigned base, int64_t disp, unsigned size,
                                   unsigned access)
{
    struct qn_mem mem = {.disp = disp, .base = base, .index = QN_REG_NONE, .scale = 1};

    return add_mem(d, &mem, size, access);
}

static void use_stack_pointer(struct decoder *d)
{
    d->insn->reads |= 1u << QN_RSP;
    d->insn->writes |= 1u << QN_RSP;
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

    if (d->mod == 3 || d->rm != 4)
        return QN_DEC_INVALID;
    d->mem.index = (d->sib >> 3 & 7) | d->x | upper;
    d->mem.scale = 1 << (d->sib >> 6);
    d->mem.vsib = index_bytes;
    if (upper)
        d->vvvv -= 16;
    modrm_mem(d, d->vector / wider * elem, access);
    return QN_DEC_OK;
}

static enum qn_decode_status take_immediate(struct decoder *d, const struct operand_info *info)
{
    struct qn_insn *insn = d->insn;
    unsigned n = info->kind == K_VEC_IMM ? 1 : bytes_of(d, info->size);

    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    insn->imm = read_signed(d->bytes + d->pos, n);
    if (info->kind == K_IMM || info->kind == K_VEC_IMM)
        insn->imm &= ((int64_t)1 << 8 * n) - 1;
    else if (info->kind == K_REL)
        insn->target_rel = insn->imm;
    if (!insn->imm_off)
        insn->imm_off = d->pos;
    insn->imm_len += n;
    d->pos += n;
    return QN_DEC_OK;
}

/* mov between rax and an absolute address of 8 (67h: 4) bytes */
static enum qn_decode_status absolute_mem(struct decoder *d, unsigned size, unsigned access)
{
    unsigned n = d->addr32 ? 4 : 8;
    struct qn_mem mem = {
        .seg = d->segment, .base = QN_REG_NONE, .index = QN_REG_NONE, .scale = 1, .addr32 = d->addr32};

    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    mem.disp = read_signed(d->bytes + d->pos, n);
    if (d->addr32)
        mem.disp &= 0xffffffff;
    d->insn->disp_off = d->pos;
    d->insn->disp_len = n;
    d->pos += n;
    add_mem(d, &mem, size, access);
    return QN_DEC_OK;
}

/* String operands: the register steps by the size each time. */
static void string_mem(struct decoder *d, unsigned reg, unsigned segment, unsigned size, unsigned access)
{
    struct qn_mem *m = add_implicit(d, reg, 0, size, access);

    m->seg = segment;
    m->addr32 = d->addr32;
    d->insn->writes |= 1u << reg;
}

static void maskmov_mem(struct decoder *d, unsigned size, unsigned access)
{
    struct qn_mem *m = add_implicit(d, QN_RDI, 0, size, access);

    m->seg = d->segment;
    m->addr32 = d->addr32;
    finish_vector_mem(d, m);
}

/* Address rbx + al: the index is only the low byte of rax. */
static void xlat_mem(struct decoder *d, unsigned access)
{
    struct qn_mem mem = {
        .seg = d->segment, .base = QN_RBX, .index = QN_RAX, .scale = 1, .addr32 = d->addr32};

    add_mem(d, &mem, 1, access);
}

static void stack_mem(struct decoder *d, const struct operand_info *info, unsigned access)
{
    unsigned size = bytes_of(d, info->memsize) * (info->arg ? info->arg : 1);

    use_stack_pointer(d);
    switch (info->kind) {
    case K_PUSH:
        add_implicit(d, QN_RSP, -(int64_t)size, size, access);
        break;
    case K_POP:
        add_implicit(d, QN_RSP, 0, size, access);
        d->popped = size;
        break;
    case K_LEAVE:
        add_implicit(d, QN_RBP, 0, size, access);
        d->insn->reads &= ~(1u << QN_RSP);
        d->insn->writes |= 1u << QN_RBP;
        break;
    default: /* enter: the nested frame pointers that a level > 0 copies are not given */
        add_implicit(d, QN_RSP, -(int64_t)size, size, access);
        d->insn->reads |= 1u << QN_RBP;
        d->insn->writes |= 1u << QN_RBP;
        break;
    }
}

static enum qn_decode_status rm_operand(struct decoder *d, const struct operand_info *info, unsigned access)
{
    if (d->mod == 3)
        use_gpr(d, d->rm | d->b, bytes_of(d, info->size), access);
    else
        modrm_mem(d, bytes_of(d, info->memsize), access);
    return QN_DEC_OK;
}

static enum qn_decode_status special_operand(struct decoder *d, const struct operand_info *info,
                                             unsigned access)
{
    unsigned size = bytes_of(d, info->memsize);

    switch (info->kind) {
    case K_MOFFS:
        return absolute_mem(d, size, access);
    case K_STRING_SRC:
        string_mem(d, QN_RSI, d->segment, size, access);
        break;
    case K_STRING_DST:
        string_mem(d, QN_RDI, QN_SEG_NONE, size, access);
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
        maskmov_mem(d, size, access);
        break;
    case K_REG_MEM:
        add_implicit(d, d->reg | (d->r & 8), 0, size, access)->addr32 = d->addr32;
        break;
    case K_RAX_MEM:
        add_implicit(d, QN_RAX, 0, size, access)->addr32 = d->addr32;
        break;
    default:
        break;
    }
    return QN_DEC_OK;
}

static enum qn_decode_status take_operand(struct decoder *d, const struct operand_info *info,
                                          unsigned access)
{
    switch (info->kind) {
    case K_RM:
        return rm_operand(d, info, access);
    case K_REG:
        use_gpr(d, d->reg | (d->r & 8), bytes_of(d, info->size), access);
        return QN_DEC_OK;
    case K_VEC_RM:
        if (d->mod != 3)
            modrm_mem(d, bytes_of(d, info->memsize), access);
        return QN_DEC_OK;
    case K_MEM:
        if (d->mod == 3)
            return QN_DEC_INVALID;
        if (d->opcode_map == MAP_LEG0 && !access)
            d->mem.seg = QN_SEG_NONE; /* lea */
        modrm_mem(d, bytes_of(d, info->memsize), access);
        return QN_DEC_OK;
    case K_IMM:
    case K_IMM_SIGNED:
    case K_REL:
    case K_VEC_IMM:
        return take_immediate(d, info);
    case K_GPR_OPCODE:
        use_gpr(d, (d->insn->opcode & 7) | d->b, bytes_of(d, info->size), access);
        return QN_DEC_OK;
    case K_GPR_FIXED:
        use_gpr(d, info->arg, bytes_of(d, info->size), access);
        return QN_DEC_OK;
    case K_RM_GPR:
        use_gpr(d, d->rm | d->b, bytes_of(d, info->size), access);
        return QN_DEC_OK;
    case K_VVVV_GPR:
        use_gpr(d, d->vvvv & 15, bytes_of(d, info->size), access);
        d->vvvv_used = 1;
        return QN_DEC_OK;
    case K_VEC_VVVV:
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
        return special_operand(d, info, access);
    }
}

/* Operand size as struct qn_insn tells it: that of the first operand if it is a register, a string or a vector. */
static unsigned reported_size(const struct decoder *d)
{
    const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(d->row->operands)];

    switch (info->kind) {
    case K_VEC_RM:
    case K_VEC_REG:
    case K_VEC_U:
    case K_VEC_VVVV:
    case K_VSIB:
        return d->vector;
    case K_RM:
    case K_RM_GPR:
    case K_REG:
    case K_VVVV_GPR:
    case K_GPR_FIXED:
    case K_GPR_OPCODE:
        return bytes_of(d, info->size);
    case K_MOFFS:
    case K_STRING_SRC:
    case K_STRING_DST:
        return bytes_of(d, info->memsize);
    case K_MMX_REG:
    case K_MMX_U:
        return 8;
    default:
        return info->size == SZ_X || d->insn->encoding == QN_ENC_EVEX ? d->vector : d->opsize;
    }
}

enum qn_decode_status qn_decode_operand_facts(struct decoder *d)
{
    struct qn_insn *insn = d->insn;
    uint64_t operands = d->row->operands;
    uint32_t attr = TRAIT_ATTR(d->row->traits);

    if (d->insn->modrm_off && d->mod == 3)
        attr &= ~(QN_ATTR_XCHGMEM | QN_ATTR_BT_REG | QN_ATTR_BROADCAST);
    insn->attr = attr | (d->lock ? QN_ATTR_LOCK : 0) | (insn->kreg ? QN_ATTR_KMASK : 0);
    insn->opsize = reported_size(d);
    for (; operands; operands >>= 16) {
        enum qn_decode_status status =
            take_operand(d, &qn_decode_operands[OPERAND_CODE(operands)], OPERAND_ACCESS(operands));
        if (status != QN_DEC_OK)
            return status;
    }
    return d->vvvv && !d->vvvv_used ? QN_DEC_INVALID : QN_DEC_OK;
}
