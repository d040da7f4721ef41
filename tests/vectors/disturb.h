/* tests/vectors/disturb.h - make everything other that an instruction does not read, as the decoder tells it: general
 * registers, flags, vector, mask, MMX and x87 registers, MXCSR and the x87 control word. */
#ifndef DISTURB_H
#define DISTURB_H

#include <string.h>

#include "decode/decode.h"
#include "state.h"

struct facts {
    struct qn_insn insn;
    struct qn_registers reads, writes;
};

/* ---- what lies where ---- */

static uint16_t word_at(const uint8_t *at)
{
    uint16_t word;

    memcpy(&word, at, 2);
    return word;
}

static unsigned top_of_stack(const uint8_t *area)
{
    return word_at(area + 2) >> 11 & 7;
}

/* The area has st(0) first; r0 to r7, the registers behind, are what stays. */
static uint8_t *x87_register(uint8_t *area, unsigned r)
{
    return area + 32 + 16 * ((r - top_of_stack(area)) & 7);
}

/* Mask of r0 to r7 that are touched, as MMX registers or relative to the top of the stack. */
static unsigned x87_touched(const struct qn_registers *regs)
{
    unsigned top = top_of_stack(before.area), mask = regs->of[QN_KIND_MMX];

    for (unsigned i = 0; i < 8; i++)
        if (regs->of[QN_KIND_X87] >> i & 1)
            mask |= 1u << ((top + i) & 7);
    return mask;
}

static uint64_t rflags_of(unsigned flags)
{
    static const uint16_t rflags[7] = {1, 4, 0x10, 0x40, 0x80, 0x800, 0x400}; /* CF PF AF ZF SF OF DF */
    uint64_t mask = 0;

    for (unsigned i = 0; i < 7; i++)
        if (flags >> i & 1)
            mask |= rflags[i];
    return mask;
}

/* Bytes of vector register n that are there, 16 of each part. */
static bool has_part(unsigned n, unsigned part)
{
    return (n < 16 && part == 0) || component_size[n >= 16 ? ZMM_16_31 : part == 1 ? AVX : ZMM_HIGH];
}

/* ---- everything else is other ---- */

static uint64_t other;

static void change(void *at, size_t n)
{
    uint8_t *bytes = at;

    for (size_t i = 0; i < n; i++)
        bytes[i] = vector_random(&other) >> 24;
}

static void change_vectors(const struct facts *f)
{
    for (unsigned n = 0; n < 32; n++)
        for (unsigned part = 0; part < 4; part++)
            if (!(f->reads.of[QN_KIND_VECTOR] >> n & 1) && has_part(n, part))
                change(vector_part(before.area, n, part), 16);
    for (unsigned n = 0; n < 8 && component_size[OPMASK]; n++)
        if (!(f->reads.of[QN_KIND_MASK] >> n & 1))
            change(before.area + component_offset[OPMASK] + 8 * n, 8);
}

/* The masks of exceptions stay. */
static void change_x87_and_sse(const struct facts *f)
{
    unsigned read = x87_touched(&f->reads), state = f->reads.of[QN_KIND_STATE];
    uint8_t *area = before.area;

    for (unsigned r = 0; r < 8; r++)
        if (!(read >> r & 1))
            change(x87_register(area, r), 10);
    if (!(state & QN_STATE_X87_CONTROL))
        area[1] ^= 0x0c; /* rounding */
    if (!(state & QN_STATE_X87_STATUS))
        area[3] ^= 0x47; /* condition codes */
    if (!(state & QN_STATE_MXCSR)) {
        area[24] ^= 0x7f;
        area[25] ^= 0xe0;
    }
}

static void change_the_rest(const struct facts *f)
{
    for (unsigned n = 0; n < 16; n++)
        if (!(f->insn.reads >> n & 1))
            change(&before.gpr[n], 8);
    before.flags ^= vector_random(&other) & rflags_of(~(f->insn.flags_read | f->insn.flags_maywrite));
    change_vectors(f);
    change_x87_and_sse(f);
}

#endif
