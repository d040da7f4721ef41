/* lib/decode/print_operands.c - the operands of an instruction in the order of the syntax, with masks and rounding.
 *
 *   62 f1 74 59 58 40 01  ->  0x4(%rax){1to16},%zmm1,%zmm0{%k1}
 *                             zmm0{k1},zmm1,DWORD BCST [rax+0x4]
 *
 * The rows name operands as the manuals do, destination first, and so does Intel's syntax; AT&T's prints them
 * backwards. */
#include "printer.h"

/* ---- characters, words and numbers behind the text so far; what does not fit is dropped ---- */

void qn_decode_put_char(struct printer *p, char c)
{
    struct text *t = p->out;

    if (t->used + 1 < t->size)
        t->start[t->used++] = c;
}

void qn_decode_put(struct printer *p, const char *s)
{
    while (*s)
        qn_decode_put_char(p, *s++);
}

void qn_decode_put_hex(struct printer *p, uint64_t value)
{
    unsigned shift = 60;

    while (shift && !(value >> shift))
        shift -= 4;
    for (;; shift -= 4) {
        qn_decode_put_char(p, "0123456789abcdef"[value >> shift & 15]);
        if (!shift)
            break;
    }
}

static void put_number(struct printer *p, unsigned n)
{
    if (n >= 10)
        qn_decode_put_char(p, '0' + n / 10);
    qn_decode_put_char(p, '0' + n % 10);
}

unsigned qn_decode_note_bytes(struct printer *p, unsigned code)
{
    uint64_t traits = p->row->traits;
    bool by_w = code == SZ_V || code == SZ_Y || (code == SZ_P && !(p->d->on & ON_AMD));
    bool by_66 = code == SZ_V || code == SZ_Z || code == SZ_P || code == SZ_ENV || code == SZ_SAVE || code == SZ_A ||
                 code == SZ_MOVSXD;

    if (by_w && !(traits & (D64 | F64)))
        note_rex(p, 8);
    if (by_66 && !p->d->w && !((traits & F64) && p->d->opsize == 8))
        p->data_used = true;
    if (code == SZ_ADDR)
        p->addr_used = true;
    return qn_decode_operand_bytes(p->d, code);
}

/* ---- names of registers: %rax in AT&T syntax, rax in Intel's ---- */

static const char gpr16[8][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
static const char gpr8_low[8][4] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
static const char gpr8_high[4][3] = {"ah", "ch", "dh", "bh"};
static const char segments[8][3] = {"es", "cs", "ss", "ds", "fs", "gs", "?", "?"};

static void put_mark(struct printer *p)
{
    if (!p->intel)
        qn_decode_put_char(p, '%');
}

static void put_numbered(struct printer *p, const char *name, unsigned n)
{
    put_mark(p);
    qn_decode_put(p, name);
    put_number(p, n);
}

static void put_segment_name(struct printer *p, unsigned n)
{
    put_mark(p);
    qn_decode_put(p, segments[n]);
}

void qn_decode_put_gpr(struct printer *p, unsigned n, unsigned size)
{
    put_mark(p);
    if (size == 1 && n - QN_RSP < 4) {
        note_rex(p, 0);
        qn_decode_put(p, p->d->rex || is_vector_encoding(p->d) ? gpr8_low[n] : gpr8_high[n - QN_RSP]);
    } else if (n >= QN_R8) {
        qn_decode_put_char(p, 'r');
        put_number(p, n);
        qn_decode_put(p, size == 1 ? "b" : size == 2 ? "w" : size == 4 ? "d" : "");
    } else if (size == 1) {
        qn_decode_put(p, gpr8_low[n]);
    } else {
        qn_decode_put(p, size == 8 ? "r" : size == 4 ? "e" : "");
        qn_decode_put(p, gpr16[n]);
    }
}

/* As wide as addresses are. */
static void put_address_register(struct printer *p, unsigned n)
{
    p->addr_used = true;
    qn_decode_put_gpr(p, n, p->d->addr_size);
}

static void put_vector_of(struct printer *p, unsigned n, unsigned size)
{
    put_numbered(p, size >= 64 ? "zmm" : size == 32 ? "ymm" : "xmm", n);
}

/* ---- memory operands as text ----
 *
 *   62 f1 7c 59 58 40 01  ->  0x4(%rax){1to16}        DWORD BCST [rax+0x4]
 *   a4                    ->  %ds:(%rsi), %es:(%rdi)  BYTE PTR ds:[rsi], BYTE PTR es:[rdi]
 *   8b 0c 25 00 10 00 00  ->  0x1000                  DWORD PTR ds:0x1000
 */

static void put_hex(struct printer *p, uint64_t value)
{
    qn_decode_put(p, "0x");
    qn_decode_put_hex(p, value);
}

static void put_signed(struct printer *p, int64_t value, bool plus)
{
    if (value < 0)
        qn_decode_put_char(p, '-');
    else if (plus)
        qn_decode_put_char(p, '+');
    put_hex(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static const char *segment_prefix(uint8_t segment)
{
    static const char names[][4] = {"", "fs:", "gs:", "es:", "cs:", "ss:", "ds:"};

    return names[segment];
}

bool qn_decode_takes_notrack(const struct printer *p)
{
    return (p->insn->cls == QN_CLS_JMP_IND || p->insn->cls == QN_CLS_CALL_IND) && (p->d->mode32 || !p->insn->opsz_prefix);
}

/* 3E, a ds prefix, where objdump takes it for CET's notrack only. */
static bool is_notrack(const struct printer *p)
{
    return p->d->segment == QN_SEG_DS && qn_decode_takes_notrack(p);
}

/* The segment that a prefix chose. */
static void put_segment(struct printer *p)
{
    if (is_notrack(p))
        return;
    p->seg_used = true;
    if (!p->d->segment)
        return;
    if (!p->intel)
        qn_decode_put_char(p, '%');
    qn_decode_put(p, segment_prefix(p->d->segment));
}

static void put_vector_index(struct printer *p, const struct qn_mem *m)
{
    unsigned elem = TRAIT_ELEM(p->row->traits);
    unsigned bytes = p->d->vector;

    if (m->vsib < elem)
        bytes /= 2; /* index elements narrower than the data: half as wide a register */
    put_vector_of(p, m->index, bytes);
}

/* An index of "none" is still printed (as %riz) where the SIB byte would not have been needed without it. */
static bool shows_index(const struct printer *p, const struct qn_mem *m)
{
    bool has_sib = p->d->rm == 4 && p->d->addr_size != 2;

    if (m->index != QN_REG_NONE)
        return true;
    if (!has_sib)
        return false;
    if (m->base == QN_REG_NONE)
        return p->d->addr_size == 4 || p->d->sib >> 6;
    return p->d->sib >> 6 || (m->base & 7) != QN_RSP;
}

static void put_index(struct printer *p, const struct qn_mem *m)
{
    p->addr_used = true;
    if (m->vsib)
        put_vector_index(p, m);
    else if (m->index != QN_REG_NONE)
        put_address_register(p, m->index);
    else
        qn_decode_put(p, &"%eiz\0%riz"[(p->d->addr_size == 8 ? 5 : 0) + p->intel]);
}

static void put_scale(struct printer *p, char before)
{
    if (p->d->addr_size == 2)
        return;
    qn_decode_put_char(p, before);
    put_number(p, 1 << (p->d->sib >> 6));
}

/* disp(base,index,scale) */
static void put_att(struct printer *p, const struct qn_mem *m, int64_t disp, bool has_index)
{
    if (p->insn->disp_len)
        put_signed(p, disp, false);
    qn_decode_put_char(p, '(');
    if (m->base < QN_RIP)
        put_address_register(p, m->base);
    if (has_index) {
        qn_decode_put_char(p, ',');
        put_index(p, m);
        put_scale(p, ',');
    }
    qn_decode_put_char(p, ')');
}

/* [base+index*scale+disp] */
static void put_intel(struct printer *p, const struct qn_mem *m, int64_t disp, bool has_index)
{
    qn_decode_put_char(p, '[');
    if (m->base < QN_RIP)
        put_address_register(p, m->base);
    if (has_index) {
        if (m->base < QN_RIP)
            qn_decode_put_char(p, '+');
        put_index(p, m);
        put_scale(p, '*');
    }
    if (p->insn->disp_len)
        put_signed(p, disp, m->base < QN_RIP || has_index);
    qn_decode_put_char(p, ']');
}

static void put_rip_relative(struct printer *p, const struct qn_mem *m)
{
    const char *ip = p->d->addr_size == 4 ? "%eip" : "%rip";

    p->addr_used = true;
    p->has_target = true;
    p->target = p->pc + p->insn->len + m->disp; /* objdump does not cut it to 32 bits for %eip */
    if (p->intel) {
        qn_decode_put_char(p, '[');
        qn_decode_put(p, ip + 1);
        qn_decode_put_char(p, '+');
        put_hex(p, m->disp);
        qn_decode_put_char(p, ']');
    } else {
        put_signed(p, m->disp, false);
        qn_decode_put_char(p, '(');
        qn_decode_put(p, ip);
        qn_decode_put_char(p, ')');
    }
}

static void put_absolute(struct printer *p, int64_t address)
{
    put_segment(p);
    if (p->intel && (!p->d->segment || is_notrack(p)))
        qn_decode_put(p, "ds:");
    if (p->d->addr_size == 2 && p->insn->modrm_off && !p->intel)
        put_signed(p, (int16_t)address, false); /* objdump's manner */
    else
        put_hex(p, cut(address, p->d->addr_size));
}

static void put_address(struct printer *p)
{
    const struct qn_mem *m = &p->insn->mem[0];
    int64_t disp;
    bool has_index;

    while (!m->is_modrm)
        m++;
    disp = m->disp - (m->base == QN_RSP ? p->d->popped : 0);
    if (m->base == QN_REG_NONE && m->index == QN_REG_NONE && !p->d->mode32)
        disp = cut(disp, p->d->addr_size);
    has_index = shows_index(p, m);
    note_rex(p, 1);
    if (p->d->rm == 4)
        note_rex(p, 2);
    if (m->base == QN_REG_NONE && !has_index) {
        p->addr_used = p->d->addr67;
        put_absolute(p, disp);
        return;
    }
    put_segment(p);
    if (m->base == QN_RIP)
        put_rip_relative(p, m);
    else if (p->intel)
        put_intel(p, m, disp, has_index);
    else
        put_att(p, m, disp, has_index);
}

static const char *size_word(unsigned bytes)
{
    static const char words[][9] = {[1] = "BYTE ", [2] = "WORD ", [4] = "DWORD ", [6] = "FWORD ", [8] = "QWORD ", [10] = "TBYTE ",
                                    [16] = "XMMWORD ", [32] = "YMMWORD ", [64] = "ZMMWORD "};

    return bytes < sizeof words / sizeof *words ? words[bytes] : "";
}

/* DWORD PTR, DWORD BCST */
static void put_size(struct printer *p, const struct operand_info *info)
{
    unsigned code = info->kind == K_MEM ? info->size : info->memsize;
    unsigned bytes = qn_decode_note_bytes(p, code);
    bool one_element = p->d->broadcast || info->kind == K_VSIB;
    const char *word = code == SZ_OWORD ? "OWORD " : size_word(one_element ? TRAIT_ELEM(p->row->traits) : bytes);

    qn_decode_put(p, word);
    if (*word)
        qn_decode_put(p, p->d->broadcast ? "BCST " : "PTR ");
}

static void put_broadcast(struct printer *p, const struct operand_info *info)
{
    if (p->intel && p->length_shown)
        return;
    qn_decode_put(p, "{1to");
    put_number(p, qn_decode_operand_bytes(p->d, info->memsize) / TRAIT_ELEM(p->row->traits));
    qn_decode_put_char(p, '}');
}

static void put_memory(struct printer *p, const struct operand_info *info)
{
    qn_decode_note_bytes(p, info->memsize);
    if (p->intel)
        put_size(p, info);
    put_address(p);
    if (p->d->broadcast)
        put_broadcast(p, info);
}

/* (%rsi), [rsi] */
static void put_indirect(struct printer *p, unsigned reg)
{
    qn_decode_put_char(p, p->intel ? '[' : '(');
    put_address_register(p, reg);
    qn_decode_put_char(p, p->intel ? ']' : ')');
}

static void put_string(struct printer *p, unsigned reg)
{
    if (reg == QN_RDI) {
        qn_decode_put(p, p->intel ? "es:" : "%es:");
    } else {
        p->ds_used = true;
        put_segment(p);
        if (!p->d->segment)
            qn_decode_put(p, p->intel ? "ds:" : "%ds:");
    }
    put_indirect(p, reg);
}

static void put_implicit_memory(struct printer *p, const struct operand_info *info)
{
    if (p->intel && info->kind != K_MOFFS && info->kind != K_REG_MEM)
        put_size(p, info);
    switch (info->kind) {
    case K_MOFFS:
        qn_decode_note_bytes(p, info->memsize);
        put_absolute(p, p->insn->mem[0].disp);
        break;
    case K_STRING_SRC:
        put_string(p, QN_RSI);
        break;
    case K_STRING_DST:
        put_string(p, QN_RDI);
        break;
    case K_XLAT:
        put_string(p, QN_RBX);
        break;
    default: /* movdir64b: AT&T and Intel print the address register alone */
        note_rex(p, 4);
        put_address_register(p, p->d->reg | (p->d->r & 8));
        break;
    }
}

/* ---- one operand as text: registers, immediates, branch targets ----
 *
 *   48 83 e4 f0  row O(RW(Ev), R(sIb))  ->  %rsp and $0xfffffffffffffff0, rsp and 0xfffffffffffffff0
 *
 * While printing, the printer notes which prefixes had a meaning (struct printer).
 */

static void put_immediate_value(struct printer *p, uint64_t value)
{
    qn_decode_put(p, p->intel ? "0x" : "$0x");
    qn_decode_put_hex(p, value);
}

/* Signed immediates are shown as wide as the operation is. */
static void put_immediate(struct printer *p, const struct operand_info *info, unsigned offset)
{
    int64_t value = read_exactly(p->d->bytes + offset, qn_decode_operand_bytes(p->d, info->size));
    bool wide = info->kind == K_IMM_SIGNED && info->size != SZ_V;

    put_immediate_value(p, cut(value, qn_decode_note_bytes(p, wide ? SZ_V : info->size)));
}

static void put_vector(struct printer *p, unsigned n, unsigned size_code)
{
    if (size_code == SZ_X || size_code == SZ_64 || (size_code == SZ_H && p->d->vector == 64))
        p->length_shown = true;
    put_vector_of(p, n, qn_decode_operand_bytes(p->d, size_code));
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
        put_memory(p, info);
    } else if (info->arg) {
        put_numbered(p, other[info->arg], p->d->rm);
    } else {
        note_rex(p, 1);
        put_vector(p, rm_vector_number(p), info->size);
    }
}

static void put_rm(struct printer *p, const struct operand_info *info, bool register_only)
{
    if (p->d->mod != 3 && !register_only) {
        put_memory(p, info);
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
    put_number(p, p->d->rm);
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
    put_numbered(p, name, n);
}

/* selector, offset: ptr16:32 */
static void put_far(struct printer *p)
{
    unsigned n = p->insn->imm_len - 2;

    qn_decode_note_bytes(p, SZ_V);
    put_immediate_value(p, p->insn->imm >> 8 * n & 0xffff);
    qn_decode_put_char(p, p->intel ? ':' : ',');
    put_immediate_value(p, cut(p->insn->imm, n));
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
        put_numbered(p, "xmm", info->arg);
        break;
    case K_ONE:
        qn_decode_put_char(p, '1');
        break;
    case K_SEG_FIXED:
        put_segment_name(p, info->arg);
        break;
    case K_X87:
        put_x87(p, false);
        break;
    case K_X87_RM:
        put_x87(p, true);
        break;
    default:
        put_implicit_memory(p, info);
        break;
    }
}

/* Registers of ModRM.reg and VEX.vvvv that are neither general nor vectors; false: not one of these. */
static bool put_special_register(struct printer *p, const struct operand_info *info)
{
    static const char names[QN_KIND_COUNT][4] = {[QN_KIND_MASK] = "k", [QN_KIND_MMX] = "mm", [QN_KIND_TILE] = "tmm", [QN_KIND_BOUND] = "bnd"};
    const struct operand_register *r = &qn_decode_operand_registers[info->kind];

    if (!r->named || !names[r->kind][0])
        return false;
    put_numbered(p, names[r->kind], r->from == FROM_REG ? p->d->reg : r->from == FROM_RM ? p->d->rm : p->d->vvvv & 7);
    return true;
}

static void put_operand(struct printer *p, const struct operand_info *info)
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
        put_memory(p, info);
        break;
    case K_VEC_RM:
    case K_VEC_U:
        put_vector_rm(p, info);
        break;
    case K_SEG_REG:
        put_segment_name(p, d->reg);
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

#define MAX_OPERANDS 4

static bool is_immediate(const struct operand_info *info)
{
    return info->kind == K_IMM || info->kind == K_IMM_SIGNED;
}

/* {rn-sae} or {sae} */
static void put_rounding(struct printer *p)
{
    static const char names[4][9] = {"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"};
    const uint8_t *evex = p->d->bytes + p->insn->vex_off;

    qn_decode_put(p, p->row->traits & ER ? names[evex[3] >> 5 & 3] : "{sae}");
}

/* {%k1}{z} after the destination */
static void put_mask(struct printer *p)
{
    if (p->insn->encoding != QN_ENC_EVEX)
        return;
    if (p->insn->kreg) {
        qn_decode_put_char(p, '{');
        put_numbered(p, "k", p->insn->kreg);
        qn_decode_put_char(p, '}');
    }
    if (p->d->zeroing)
        qn_decode_put(p, "{z}");
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
        if (info->kind == K_NONE || (p->hide_immediate && is_immediate(info)) ||
            ((operands & OPERAND_HIDDEN) && !(info->kind == K_ONE && p->intel)))
            continue;
        list[n].info = info;
        list[n++].immediate_at = at;
        if (is_immediate(info))
            at += qn_decode_operand_bytes(p->d, info->size);
    }
    return n;
}

static void put_listed(struct printer *p, const struct listed *list, unsigned at)
{
    if (is_immediate(list[at].info))
        put_immediate(p, list[at].info, list[at].immediate_at);
    else
        put_operand(p, list[at].info);
    if (at == 0)
        put_mask(p);
}

/* After which of n operands rounding belongs, counted from 1; 0 = there is none.  AT&T: before an integer source. */
static unsigned rounding_place(const struct printer *p, const struct listed *list, unsigned n)
{
    if (!p->d->broadcast || p->d->mod != 3)
        return 0;
    while (n && (is_immediate(list[n - 1].info) || (list[n - 1].info->kind == K_RM && !p->intel)))
        n--;
    return n;
}

static void put_comma(struct printer *p, bool needed)
{
    if (needed)
        qn_decode_put_char(p, ',');
}

static void put_forward(struct printer *p, const struct listed *list, unsigned n, unsigned rounding)
{
    for (unsigned i = 0; i < n; i++) {
        put_comma(p, i > 0);
        put_listed(p, list, i);
        if (rounding == i + 1)
            put_rounding(p);
    }
    if (p->row->traits & I4) {
        qn_decode_put_char(p, ',');
        put_immediate_value(p, p->insn->imm & 15);
    }
}

static void put_backward(struct printer *p, const struct listed *list, unsigned n, unsigned rounding)
{
    if (p->row->traits & I4) {
        put_immediate_value(p, p->insn->imm & 15);
        qn_decode_put_char(p, ',');
    }
    for (unsigned i = n; i > 0; i--) {
        if (rounding == i) {
            put_rounding(p);
            qn_decode_put_char(p, ',');
        }
        put_listed(p, list, i - 1);
        put_comma(p, i > 1);
    }
}

/* * before the target of an indirect jump or call */
static void put_star(struct printer *p)
{
    if (p->insn->cls == QN_CLS_CALL_IND || p->insn->cls == QN_CLS_JMP_IND ||
        (p->insn->cls == QN_CLS_FAR && p->insn->modrm_off && p->d->mod != 3))
        qn_decode_put_char(p, '*');
}

void qn_decode_print_operands(struct printer *p)
{
    struct listed list[MAX_OPERANDS];
    unsigned n = list_operands(p, list);
    unsigned rounding = rounding_place(p, list, n);
    bool forward = p->intel ? !(p->row->traits & REV) : (p->row->traits & FWD) != 0;

    if (!p->intel)
        put_star(p);
    if (forward)
        put_forward(p, list, n, rounding);
    else
        put_backward(p, list, n, rounding);
}
