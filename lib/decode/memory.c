/* lib/decode/memory.c - memory operands: address, size, access, and what masks and broadcasts make of them.
 *
 *   push 8(%rsp)        row O(R(Ev), H(W(PUSH)))  ->  mem[0] = {rsp, disp 8, read}, mem[1] = {rsp, disp -8, write},
 *                                                     reads rsp, writes rsp
 *   62 ... 40 01 {1to16}                          ->  disp 4: the displacement byte counts elements
 *
 * Operands are entered in the order in which the row names them, which is the order in which the processor touches
 * them (cmps: that of the SDM, rsi before rdi).  Address registers count as read. */
#include "decoder.h"

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

void qn_decode_modrm_mem(struct decoder *d, unsigned size, unsigned access)
{
    struct qn_mem *m = add_mem(d, &d->mem, size, access);

    if (d->popped && m->base == QN_RSP)
        m->disp += d->popped; /* SDM, POP: the address is computed after the increment */
    if (is_vector_encoding(d) || (d->row->traits & MSKU))
        finish_vector_mem(d, m);
}

/* Vector index: as many elements as both the index and the data vector have. */
enum qn_decode_status qn_decode_vsib_mem(struct decoder *d, unsigned index_bytes, unsigned access)
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
    qn_decode_modrm_mem(d, d->vector / wider * elem, access);
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

enum qn_decode_status qn_decode_implicit_mem(struct decoder *d, const struct operand_info *info, unsigned access)
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
