/* lib/decode/print_operand.c - operands as AT&T text.
 *
 *   62 f1 7c 59 58 40 01  ->  0x4(%rax){1to16},%zmm0,%zmm0{%k1}
 *
 * The rows name operands as the manuals do, destination first; AT&T prints them backwards.  While printing,
 * the printer notes which prefixes had a meaning (struct printer). */
#include "printer.h"

#define MAX_OPERANDS 4

static const char gpr64[16][4] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                  "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char gpr8_low[16][4] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
static const char gpr8_high[4][4] = {"ah", "ch", "dh", "bh"};
static const char seg_names[8][3] = {"es", "cs", "ss", "ds", "fs", "gs", "?", "?"};

static void put(struct printer *p, const char *s)
{
    qn_decode_text_string(p->out, s);
}

static void put_char(struct printer *p, char c)
{
    qn_decode_text_char(p->out, c);
}

static void put_hex(struct printer *p, uint64_t value)
{
    put(p, "0x");
    qn_decode_text_hex(p->out, value);
}

static void put_number(struct printer *p, unsigned n)
{
    if (n >= 10)
        put_char(p, '0' + n / 10);
    put_char(p, '0' + n % 10);
}

/* "xmm" 17 -> %xmm17 */
static void put_numbered(struct printer *p, const char *name, unsigned n)
{
    put_char(p, '%');
    put(p, name);
    put_number(p, n);
}

static uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes >= 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

void qn_decode_note_size(struct printer *p, unsigned code)
{
    uint64_t traits = p->row->traits;

    if (code != SZ_V && code != SZ_Z && code != SZ_Y && code != SZ_P && code != SZ_ENV && code != SZ_SAVE)
        return;
    if (!(traits & (D64 | F64)) && (code == SZ_V || code == SZ_Y || code == SZ_P))
        note_rex(p, 8);
    if (code != SZ_Y && !(traits & F64) && !p->d->w)
        p->data_used = true;
}

static unsigned bytes_of(struct printer *p, unsigned code)
{
    qn_decode_note_size(p, code);
    return qn_decode_operand_bytes(p->d, code);
}

static void put_gpr(struct printer *p, unsigned n, unsigned size)
{
    put_char(p, '%');
    if (size == 1 && n - QN_RSP < 4) {
        note_rex(p, 0);
        put(p, p->d->rex || is_vector_encoding(p->d) ? gpr8_low[n] : gpr8_high[n - QN_RSP]);
    } else if (n >= QN_R8) {
        put(p, gpr64[n]);
        put(p, size == 1 ? "b" : size == 2 ? "w" : size == 4 ? "d" : "");
    } else if (size == 1) {
        put(p, gpr8_low[n]);
    } else {
        put(p, size == 8 ? "r" : size == 4 ? "e" : "");
        put(p, gpr64[n] + 1);
    }
}

/* An address register: 64 bits, with 67h 32. */
static void put_address_register(struct printer *p, unsigned n)
{
    p->addr_used = true;
    put_gpr(p, n, p->d->addr32 ? 4 : 8);
}

static void put_vector(struct printer *p, unsigned n, unsigned size)
{
    put_numbered(p, size >= 64 ? "zmm" : size == 32 ? "ymm" : "xmm", n);
}

static void put_segment(struct printer *p)
{
    p->seg_used = true;
    if (p->d->segment)
        put(p, p->d->segment == QN_SEG_FS ? "%fs:" : "%gs:");
}

static void put_displacement(struct printer *p, int64_t disp)
{
    if (disp < 0)
        put_char(p, '-');
    put_hex(p, disp < 0 ? -(uint64_t)disp : (uint64_t)disp);
}

static void put_vector_index(struct printer *p, const struct qn_mem *m)
{
    unsigned elem = TRAIT_ELEM(p->row->traits);
    unsigned bytes = p->d->vector;

    if (m->vsib < elem)
        bytes /= 2; /* index elements narrower than the data: half as wide a register */
    put_vector(p, m->index, bytes);
}

/* (base,index,scale) */
static void put_registers(struct printer *p, const struct qn_mem *m, bool has_index)
{
    put_char(p, '(');
    if (m->base < QN_RIP)
        put_address_register(p, m->base);
    if (has_index) {
        put_char(p, ',');
        p->addr_used = true;
        if (m->vsib)
            put_vector_index(p, m);
        else if (m->index != QN_REG_NONE)
            put_address_register(p, m->index);
        else
            put(p, p->d->addr32 ? "%eiz" : "%riz");
        put_char(p, ',');
        put_number(p, 1 << (p->d->sib >> 6));
    }
    put_char(p, ')');
}

/* An index of "none" is still printed (as %riz) where the SIB byte would not have been needed without it. */
static bool shows_index(const struct printer *p, const struct qn_mem *m)
{
    bool has_sib = p->d->rm == 4;

    if (!has_sib)
        return false;
    if (m->index != QN_REG_NONE)
        return true;
    if (m->base == QN_REG_NONE)
        return p->d->addr32 || (p->d->sib >> 6);
    return (p->d->sib >> 6) || (m->base & 7) != QN_RSP;
}

static void put_rip_relative(struct printer *p, const struct qn_mem *m)
{
    p->addr_used = true;
    put_displacement(p, m->disp);
    put(p, p->d->addr32 ? "(%eip)" : "(%rip)");
    p->has_target = true;
    p->target = p->pc + p->insn->len + m->disp; /* objdump does not cut it to 32 bits for %eip */
}

static void put_modrm_memory(struct printer *p)
{
    const struct qn_mem *m = &p->insn->mem[0];
    int64_t disp;
    bool has_index;

    while (!m->is_modrm)
        m++;
    disp = m->disp - (m->base == QN_RSP ? p->d->popped : 0);
    has_index = shows_index(p, m);
    note_rex(p, 1);
    if (p->d->rm == 4)
        note_rex(p, 2);
    put_segment(p);
    if (m->base == QN_RIP) {
        put_rip_relative(p, m);
    } else if (m->base == QN_REG_NONE && !has_index) {
        p->addr_used = p->d->addr32;
        put_hex(p, cut(disp, p->d->addr32 ? 4 : 8));
    } else {
        if (p->insn->disp_len)
            put_displacement(p, disp);
        put_registers(p, m, has_index);
    }
}

static void put_broadcast(struct printer *p, const struct operand_info *info)
{
    put(p, "{1to");
    put_number(p, qn_decode_operand_bytes(p->d, info->memsize) / TRAIT_ELEM(p->row->traits));
    put_char(p, '}');
}

static void put_memory(struct printer *p, const struct operand_info *info)
{
    qn_decode_note_size(p, info->memsize);
    put_modrm_memory(p);
    if (p->d->broadcast)
        put_broadcast(p, info);
}

static unsigned rm_vector_number(const struct printer *p)
{
    const struct decoder *d = p->d;

    return d->rm | d->b | (p->insn->encoding == QN_ENC_EVEX ? d->x << 1 : 0);
}

static void put_vector_rm(struct printer *p, const struct operand_info *info)
{
    if (p->d->mod != 3) {
        put_memory(p, info);
    } else if (info->arg == 1) {
        put_numbered(p, "mm", p->d->rm);
    } else if (info->arg == 2) {
        put_numbered(p, "k", p->d->rm);
    } else if (info->arg == 3) {
        put_numbered(p, "bnd", p->d->rm);
    } else {
        note_rex(p, 1);
        put_vector(p, rm_vector_number(p), qn_decode_operand_bytes(p->d, info->size));
    }
}

static void put_rm(struct printer *p, const struct operand_info *info, bool register_only)
{
    if (p->d->mod != 3 && !register_only) {
        put_memory(p, info);
        return;
    }
    note_rex(p, 1);
    put_gpr(p, p->d->rm | p->d->b, bytes_of(p, info->size));
}

/* Signed immediates are shown as wide as the operation is. */
static void put_immediate(struct printer *p, const struct operand_info *info, unsigned offset)
{
    int64_t value = read_signed(p->d->bytes + offset, qn_decode_operand_bytes(p->d, info->size));
    bool wide = info->kind == K_IMM_SIGNED && info->size != SZ_V;

    put_char(p, '$');
    put_hex(p, cut(value, bytes_of(p, wide ? SZ_V : info->size)));
}

static void put_string_operand(struct printer *p, unsigned reg)
{
    put_char(p, '(');
    put_address_register(p, reg);
    put_char(p, ')');
}

static void put_source_string(struct printer *p, unsigned reg)
{
    p->ds_used = true;
    put_segment(p);
    if (!p->d->segment)
        put(p, "%ds:");
    put_string_operand(p, reg);
}

static void put_named(struct printer *p, unsigned arg)
{
    static const char names[][6] = {"$1", "%fs", "%gs", "%xmm0"};

    put(p, names[arg]);
}

static void put_x87(struct printer *p, unsigned arg)
{
    put(p, "%st");
    if (!arg)
        return;
    put_char(p, '(');
    put_number(p, p->d->rm);
    put_char(p, ')');
}

static void put_fixed(struct printer *p, const struct operand_info *info)
{
    if (info->arg == QN_RDX && info->size == SZ_2)
        put(p, "(%dx)");
    else
        put_gpr(p, info->arg, bytes_of(p, info->size));
}

static void put_control(struct printer *p, const char *name)
{
    note_rex(p, 4);
    put_numbered(p, name, p->d->reg | (p->d->r & 8));
}

static void put_register_operand(struct printer *p, const struct operand_info *info)
{
    struct decoder *d = p->d;

    note_rex(p, 4);
    if (info->kind == K_REG)
        put_gpr(p, d->reg | (d->r & 8), bytes_of(p, info->size));
    else if (info->kind == K_VEC_REG)
        put_vector(p, d->reg | d->r, qn_decode_operand_bytes(d, info->size));
    else
        put_string_operand(p, d->reg | (d->r & 8));
}

static void put_absolute(struct printer *p)
{
    put_segment(p);
    put_hex(p, p->insn->mem[0].disp);
}

/* Operands that have nothing to do with ModRM.rm. */
static void put_other(struct printer *p, const struct operand_info *info)
{
    struct decoder *d = p->d;

    switch (info->kind) {
    case K_GPR_OPCODE:
        note_rex(p, 1);
        put_gpr(p, (p->insn->opcode & 7) | d->b, bytes_of(p, info->size));
        break;
    case K_GPR_FIXED:
        put_fixed(p, info);
        break;
    case K_VVVV_GPR:
        put_gpr(p, d->vvvv & 15, bytes_of(p, info->size));
        break;
    case K_VEC_VVVV:
        put_vector(p, d->vvvv, qn_decode_operand_bytes(d, info->size));
        break;
    case K_VEC_IMM:
        put_vector(p, p->insn->imm >> 4, qn_decode_operand_bytes(d, info->size));
        break;
    case K_REL:
        qn_decode_text_hex(p->out, p->pc + p->insn->len + p->insn->target_rel);
        break;
    case K_NAMED:
        put_named(p, info->arg);
        break;
    case K_MOFFS:
        put_absolute(p);
        break;
    case K_STRING_SRC:
        put_source_string(p, QN_RSI);
        break;
    case K_STRING_DST:
        put(p, "%es:");
        put_string_operand(p, QN_RDI);
        break;
    case K_XLAT:
        put_source_string(p, QN_RBX);
        break;
    case K_X87:
        put_x87(p, info->arg);
        break;
    default:
        break;
    }
}

static void put_operand(struct printer *p, const struct operand_info *info)
{
    struct decoder *d = p->d;

    switch (info->kind) {
    case K_RM:
        put_rm(p, info, false);
        break;
    case K_RM_GPR:
        put_rm(p, info, true);
        break;
    case K_REG:
    case K_VEC_REG:
        put_register_operand(p, info);
        break;
    case K_REG_MEM:
        note_rex(p, 4);
        put_address_register(p, d->reg | (d->r & 8));
        break;
    case K_MEM:
    case K_VSIB:
        put_memory(p, info);
        break;
    case K_VEC_RM:
    case K_VEC_U:
        put_vector_rm(p, info);
        break;
    case K_MMX_REG:
        put_numbered(p, "mm", d->reg);
        break;
    case K_MMX_U:
        put_numbered(p, "mm", d->rm);
        break;
    case K_MASK_REG:
        put_numbered(p, "k", d->reg);
        break;
    case K_MASK_U:
        put_numbered(p, "k", d->rm);
        break;
    case K_MASK_VVVV:
        put_numbered(p, "k", d->vvvv & 7);
        break;
    case K_TILE_REG:
        put_numbered(p, "tmm", d->reg);
        break;
    case K_TILE_U:
        put_numbered(p, "tmm", d->rm);
        break;
    case K_TILE_VVVV:
        put_numbered(p, "tmm", d->vvvv & 7);
        break;
    case K_BOUND_REG:
        put_numbered(p, "bnd", d->reg);
        break;
    case K_SEG_REG:
        put_char(p, '%');
        put(p, seg_names[d->reg]);
        break;
    case K_CTRL_REG:
        put_control(p, "cr");
        break;
    case K_DEBUG_REG:
        put_control(p, "db");
        break;
    default:
        put_other(p, info);
        break;
    }
}

/* {rn-sae} or {sae}, if the registers' form has EVEX.b */
static void put_rounding(struct printer *p)
{
    static const char names[4][9] = {"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"};
    const uint8_t *evex = p->d->bytes + p->insn->vex_off;

    put(p, p->row->traits & ER ? names[evex[3] >> 5 & 3] : "{sae}");
    put_char(p, ',');
}

static bool is_immediate(const struct operand_info *info)
{
    return info->kind == K_IMM || info->kind == K_IMM_SIGNED;
}

/* {%k1}{z} after the destination */
static void put_mask(struct printer *p)
{
    if (p->insn->encoding != QN_ENC_EVEX)
        return;
    if (p->insn->kreg) {
        put(p, "{");
        put_numbered(p, "k", p->insn->kreg);
        put(p, "}");
    }
    if (p->d->zeroing)
        put(p, "{z}");
}

struct listed {
    const struct operand_info *info;
    unsigned immediate_at; /* offset of an immediate */
};

/* Visible operands in the order of the manuals, which is also that of their immediates; returns how many. */
static unsigned list_operands(const struct printer *p, struct listed list[MAX_OPERANDS])
{
    uint64_t operands = p->row->operands;
    unsigned at = p->insn->imm_off;
    unsigned n = 0;

    for (; operands; operands >>= 16) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        if ((operands & OPERAND_HIDDEN) || info->kind == K_NONE ||
            (p->hide_immediate && is_immediate(info)))
            continue;
        list[n].info = info;
        list[n++].immediate_at = at;
        if (is_immediate(info))
            at += qn_decode_operand_bytes(p->d, info->size);
    }
    return n;
}

static void put_marks_before(struct printer *p)
{
    if (p->row->traits & I4) {
        put_char(p, '$');
        put_hex(p, p->insn->imm & 15);
        put_char(p, ',');
    }
    if (p->insn->cls == QN_CLS_CALL_IND || p->insn->cls == QN_CLS_JMP_IND ||
        (p->insn->cls == QN_CLS_FAR && p->insn->modrm_off && p->d->mod != 3))
        put_char(p, '*');
}

void qn_decode_print_operands(struct printer *p)
{
    struct listed list[MAX_OPERANDS];
    unsigned n = list_operands(p, list);
    bool rounding = p->d->broadcast && p->d->mod == 3;

    put_marks_before(p);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = p->row->traits & FWD ? i : n - 1 - i;
        const struct operand_info *info = list[at].info;
        /* {rn-sae} stands before the vectors, and after an integer source */
        if (rounding && !is_immediate(info) && info->kind != K_RM) {
            put_rounding(p);
            rounding = false;
        }
        if (is_immediate(info))
            put_immediate(p, info, list[at].immediate_at);
        else
            put_operand(p, info);
        if (at == 0)
            put_mask(p);
        if (i + 1 < n)
            put_char(p, ',');
    }
}
