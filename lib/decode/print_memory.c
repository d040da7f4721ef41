/* lib/decode/print_memory.c - memory operands as text.
 *
 *   62 f1 7c 59 58 40 01  ->  0x4(%rax){1to16}        DWORD BCST [rax+0x4]
 *   a4                    ->  %ds:(%rsi), %es:(%rdi)  BYTE PTR ds:[rsi], BYTE PTR es:[rdi]
 *   8b 0c 25 00 10 00 00  ->  0x1000                  DWORD PTR ds:0x1000 */
#include "printer.h"

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

/* The segment that a prefix chose. */
static void put_segment(struct printer *p)
{
    if (qn_decode_is_notrack(p))
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
    qn_decode_put_vector(p, m->index, bytes);
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
        qn_decode_put_address_register(p, m->index);
    else
        qn_decode_put(p, &"%eiz\0%riz"[(p->d->addr_size == 8 ? 5 : 0) + p->intel]);
}

static void put_scale(struct printer *p, char before)
{
    if (p->d->addr_size == 2)
        return;
    qn_decode_put_char(p, before);
    qn_decode_put_number(p, 1 << (p->d->sib >> 6));
}

/* disp(base,index,scale) */
static void put_att(struct printer *p, const struct qn_mem *m, int64_t disp, bool has_index)
{
    if (p->insn->disp_len)
        put_signed(p, disp, false);
    qn_decode_put_char(p, '(');
    if (m->base < QN_RIP)
        qn_decode_put_address_register(p, m->base);
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
        qn_decode_put_address_register(p, m->base);
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
    if (p->intel && (!p->d->segment || qn_decode_is_notrack(p)))
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
    switch (bytes) {
    case 1:
        return "BYTE ";
    case 2:
        return "WORD ";
    case 4:
        return "DWORD ";
    case 6:
        return "FWORD ";
    case 8:
        return "QWORD ";
    case 10:
        return "TBYTE ";
    case 16:
        return "XMMWORD ";
    case 32:
        return "YMMWORD ";
    case 64:
        return "ZMMWORD ";
    default:
        return "";
    }
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
    qn_decode_put_number(p, qn_decode_operand_bytes(p->d, info->memsize) / TRAIT_ELEM(p->row->traits));
    qn_decode_put_char(p, '}');
}

void qn_decode_put_memory(struct printer *p, const struct operand_info *info)
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
    qn_decode_put_address_register(p, reg);
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

void qn_decode_put_implicit_memory(struct printer *p, const struct operand_info *info)
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
        qn_decode_put_address_register(p, p->d->reg | (p->d->r & 8));
        break;
    }
}
