/* lib/event/pieces.c - see pieces.h.
 *
 * In:  an instruction and its bytes, for VEX.pp and VEX.W.
 * Out: how its operand is loaded.
 * What is loaded under a condition (masks) is not told here. */
#include "event/pieces.h"

#include "base/base.h"

enum { NP, P66, PF3, PF2 }; /* mandatory prefixes, as VEX.pp has them */

static const struct rule {
    uint8_t encoding, map, opcode, pp, size, step;
    uint8_t operand; /* bytes of the operand, 0: any */
} rules[] = {
    {QN_ENC_LEGACY, 1, 0x2c, NP, 4, 4, 0},   /* cvttps2pi */
    {QN_ENC_LEGACY, 1, 0x2c, P66, 8, 8, 0},  /* cvttpd2pi */
    {QN_ENC_LEGACY, 1, 0x2d, NP, 4, 4, 0},   /* cvtps2pi */
    {QN_ENC_LEGACY, 1, 0x2d, P66, 8, 8, 0},  /* cvtpd2pi */
    {QN_ENC_LEGACY, 1, 0x5a, NP, 4, 4, 0},   /* cvtps2pd */
    {QN_ENC_LEGACY, 3, 0x08, P66, 4, 4, 0},  /* roundps */
    {QN_ENC_LEGACY, 3, 0x09, P66, 8, 8, 0},  /* roundpd */
    {QN_ENC_LEGACY, 1, 0x60, NP, 8, 8, 4},   /* punpcklbw mm: more than the half that it uses */
    {QN_ENC_LEGACY, 1, 0x61, NP, 8, 8, 4},   /* punpcklwd mm */
    {QN_ENC_LEGACY, 1, 0x62, NP, 8, 8, 4},   /* punpckldq mm */
    {QN_ENC_VEX, 1, 0x12, PF2, 8, 16, 32},   /* vmovddup ymm: the even elements */
    {QN_ENC_VEX, 1, 0x5a, NP, 4, 4, 0},      /* vcvtps2pd */
    {QN_ENC_VEX, 3, 0x06, P66, 16, 16, 0},   /* vperm2f128 */
    {QN_ENC_VEX, 3, 0x46, P66, 16, 16, 0},   /* vperm2i128 */
};

#define SHIFT_COUNT 8 /* bytes */

/* W vvvv L pp, the last byte before the opcode: C5 has no W, but R in its place. */
static unsigned vex_fields(const struct qn_insn *in, const uint8_t *code)
{
    unsigned fields = code[in->opcode_off - 1u];

    return code[in->vex_off] == 0xc5 ? fields & 0x7f : fields;
}

static unsigned mandatory_prefix(const struct qn_insn *in, const uint8_t *code)
{
    if (in->encoding == QN_ENC_VEX)
        return vex_fields(in, code) & 3;
    return in->rep_prefix == 0xf2 ? PF2 : in->rep_prefix == 0xf3 ? PF3 : in->opsz_prefix;
}

/* vfmadd132ps and all its kin: one element at a time. */
static bool is_fma(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_VEX && in->map == 2 && in->opcode >= 0x96 && in->opcode <= 0xbf && (in->opcode & 15) >= 6;
}

/* vpsrlw and its kin: the count in memory is the lower half of 16 bytes. */
static bool is_shift(const struct qn_insn *in)
{
    unsigned group = in->opcode >> 4, which = in->opcode & 15;

    return in->encoding == QN_ENC_VEX && in->map == 1 && group >= 0xd && which >= 1 && which <= 3 && in->opcode != 0xe3;
}

struct qn_pieces qn_event_pieces(const struct qn_insn *in, const uint8_t *code)
{
    const struct qn_pieces whole = {0, 0, 0}, half = {1, SHIFT_COUNT, SHIFT_COUNT};

    if (in->n_mem != 1 || in->mem[0].access != QN_ACC_READ)
        return whole;
    if (is_fma(in)) {
        uint8_t element = vex_fields(in, code) & 0x80 ? 8 : 4;

        return (struct qn_pieces){(uint8_t)(in->mem[0].size / element), element, element};
    }
    if (is_shift(in))
        return half;
    for (unsigned k = 0; k < QN_ARRAY_LEN(rules); k++) {
        const struct rule *r = &rules[k];

        if (r->encoding == in->encoding && r->map == in->map && r->opcode == in->opcode &&
            r->pp == mandatory_prefix(in, code) && (!r->operand || r->operand == in->mem[0].size))
            return (struct qn_pieces){(uint8_t)((in->mem[0].size + r->step - 1) / r->step), r->size, r->step};
    }
    return whole;
}
