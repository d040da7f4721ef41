/* lib/decode/modrm.c - ModRM, SIB and displacement: the memory operand that an encoding names.
 *
 *   44 8e 08        mod 1, reg 0, rm 4; SIB scale 4, index rcx, base rsi  ->  mem {rsi + rcx*4 + 8}
 *   67h, 42 08      mod 1, rm 2 in 32-bit mode                            ->  mem {ss: bp + si + 8, addr16}
 *
 * What the registers of mod = 3 mean is left to the operands. */
#include "decoder.h"

static enum qn_decode_status read_displacement(struct decoder *d, unsigned n)
{
    if (!bytes_left(d, n))
        return bytes_missing(d, n);
    d->mem.disp = read_signed(d, n);
    d->insn->disp_off = n ? d->pos : 0;
    d->insn->disp_len = n;
    d->pos += n;
    return QN_DEC_OK;
}

/* By ModRM.mod; mod 0 has one only where it replaces the base. */
static unsigned displacement_length(const struct decoder *d, bool no_base)
{
    static const uint8_t length[2][4] = {{0, 1, 4, 0}, {4, 1, 4, 0}};

    return length[no_base][d->mod];
}

static enum qn_decode_status read_sib(struct decoder *d)
{
    bool no_base;
    unsigned index;

    if (!bytes_left(d, 1))
        return bytes_missing(d, 1);
    d->sib = d->bytes[d->pos++];
    no_base = d->mod == 0 && (d->sib & 7) == 5;
    d->mem.base = no_base ? QN_REG_NONE : (d->sib & 7) | d->b;
    index = (d->sib >> 3 & 7) | d->x;
    d->mem.index = index == NOT_VSIB_NO_INDEX ? QN_REG_NONE : index;
    d->mem.scale = index == NOT_VSIB_NO_INDEX ? 1 : 1 << (d->sib >> 6);
    return read_displacement(d, displacement_length(d, no_base));
}

/* Addresses of 16 bits have no SIB: SDM vol. 2, table 2-1. */
static enum qn_decode_status read_address_16(struct decoder *d)
{
    static const uint8_t base[8] = {QN_RBX, QN_RBX, QN_RBP, QN_RBP, QN_RSI, QN_RDI, QN_RBP, QN_RBX};
    static const uint8_t index[8] = {QN_RSI,      QN_RDI,      QN_RSI,      QN_RDI,
                                     QN_REG_NONE, QN_REG_NONE, QN_REG_NONE, QN_REG_NONE};
    bool no_base = d->mod == 0 && d->rm == 6;

    d->mem.base = no_base ? QN_REG_NONE : base[d->rm];
    d->mem.index = index[d->rm];
    return read_displacement(d, d->mod == 1 ? 1 : d->mod == 2 || no_base ? 2 : 0);
}

static enum qn_decode_status read_address_32(struct decoder *d)
{
    bool no_base = d->mod == 0 && d->rm == 5; /* in 64-bit mode: base rip */

    if (d->rm == 4)
        return read_sib(d);
    d->mem.base = no_base ? (d->mode32 ? QN_REG_NONE : QN_RIP) : d->rm | d->b;
    return read_displacement(d, displacement_length(d, no_base));
}

/* Outside 64-bit mode every operand has a segment: SDM vol. 1, table 3-5. */
uint8_t qn_decode_default_segment(const struct decoder *d, unsigned base)
{
    if (!d->mode32)
        return QN_SEG_NONE;
    return base == QN_RSP || base == QN_RBP ? QN_SEG_SS : QN_SEG_DS;
}

enum qn_decode_status qn_decode_address(struct decoder *d)
{
    enum qn_decode_status status;

    d->mem = (struct qn_mem){.seg = d->segment,
                             .base = QN_REG_NONE,
                             .index = QN_REG_NONE,
                             .scale = 1,
                             .addr32 = d->addr_size == 4,
                             .addr16 = d->addr_size == 2,
                             .is_modrm = 1};
    status = d->addr_size == 2 ? read_address_16(d) : read_address_32(d);
    if (!d->segment)
        d->mem.seg = qn_decode_default_segment(d, d->mem.base);
    return status;
}
