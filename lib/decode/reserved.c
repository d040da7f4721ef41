/* lib/decode/reserved.c - encodings that the opcode tables have, and that raise #UD all the same.
 *
 *   f0 8b 00           lock on what does not modify memory
 *   62 f1 75 89 76 c2  EVEX.z where the destination is a mask register
 *
 * They are decoded with length and text, as in objdump, and have QN_ATTR_UD.  Rules: SDM vol. 2, 2.6 (VEX), 2.7 (EVEX),
 * LOCK, MOV, VPGATHERDD, VFMULCPH, TDPBSSD; each was tried on a Zen 5 where it has the instruction. */
#include "decoder.h"

static const struct operand_info *operand(const struct decoder *d, unsigned i)
{
    return &qn_decode_operands[OPERAND_CODE(d->row->operands >> 16 * i)];
}

/* AMD: lock makes cr0 of a mov cr8. */
static bool may_lock(const struct decoder *d)
{
    unsigned to_or_from = d->insn->opcode & 0xfd;

    if (d->row->traits & LK)
        return d->mod != 3;
    return (d->on & ON_AMD) && d->opcode_map == MAP_LEG1 && to_or_from == 0x20 && (d->reg | d->r) == 0;
}

/* Control registers 0, 2, 3, 4, 8; debug registers 0 to 7; segment registers 0 to 5, and cs only as a source. */
static bool is_reserved_register(const struct decoder *d)
{
    unsigned n = d->reg | d->r;

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = operand(d, i)->kind;
        if (kind == K_CTRL_REG)
            return !(0x11d >> n & 1) && !(d->lock && n == 0);
        if (kind == K_DEBUG_REG)
            return n > 7;
        if (kind == K_SEG_REG)
            return d->reg > 5 || (d->reg == 1 && i == 0);
    }
    return false;
}

/* Two of destination, index and mask of an AVX2 gather the same; destination and index of an EVEX gather. */
static bool gather_overlaps(const struct decoder *d)
{
    unsigned destination = d->reg | d->r;
    unsigned index = d->insn->mem[0].index;

    if (d->insn->encoding == QN_ENC_EVEX)
        return (d->row->traits & A(GATHER)) && operand(d, 0)->kind == K_VEC_REG && destination == index;
    return destination == index || destination == d->vvvv || index == d->vvvv;
}

/* Mask and tile registers have numbers 0 to 7; only of ModRM.rm the higher bits do not count. */
static bool is_number_too_high(const struct decoder *d, unsigned kind)
{
    switch (kind) {
    case K_MASK_REG:
    case K_MASK_PAIR:
    case K_TILE_REG:
        return d->r != 0;
    case K_MASK_VVVV:
    case K_TILE_VVVV:
        return d->vvvv > 7;
    case K_TILE_U:
        return d->b != 0;
    case K_REG:
        return d->r & 16;
    default:
        return false;
    }
}

static bool vector_registers_reserved(const struct decoder *d)
{
    bool three_tiles = operand(d, 0)->kind == K_TILE_REG && operand(d, 2)->kind == K_TILE_VVVV;

    for (unsigned i = 0; i < 3; i++)
        if (is_number_too_high(d, operand(d, i)->kind))
            return true;
    if (d->row->traits & (A(GATHER) | A(SCATTER)))
        return gather_overlaps(d);
    if (d->row->traits & XD) { /* destination other than the sources */
        unsigned destination = d->reg | d->r;
        bool is_rm = d->mod == 3 && destination == (d->rm | d->b | (unsigned)d->x << 1);
        return destination == d->vvvv || is_rm;
    }
    if (operand(d, 0)->kind == K_TILE_REG || operand(d, 1)->kind == K_TILE_REG)
        return three_tiles ? d->reg == d->rm || d->reg == d->vvvv || d->rm == d->vvvv
                           : d->mod != 3 && d->rm != NOT_VSIB_NO_INDEX; /* tileloadd: wants a SIB byte */
    return false;
}

/* EVEX.aaa and z. */
static bool mask_reserved(const struct decoder *d)
{
    unsigned first = operand(d, 0)->kind;
    bool to_memory = d->mod != 3 && (first == K_VEC_RM || first == K_MEM || first == K_VSIB);
    bool by_element = first == K_VSIB || (d->row->traits & (A(GATHER) | A(SCATTER)));
    bool maskable = (TRAIT_ELEM(d->row->traits) || (d->row->traits & A(BROADCAST))) && !(d->row->traits & NM);

    if (d->zeroing && (to_memory || by_element || first == K_MASK_REG))
        return true;
    return by_element ? !d->insn->kreg : d->insn->kreg && !maskable;
}

bool qn_decode_is_reserved(const struct decoder *d)
{
    if (d->lock && !may_lock(d))
        return true;
    if (d->insn->encoding == QN_ENC_EVEX && mask_reserved(d))
        return true;
    return is_vector_encoding(d) ? vector_registers_reserved(d) : is_reserved_register(d);
}
