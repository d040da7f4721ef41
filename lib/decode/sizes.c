/* lib/decode/sizes.c - operand size and vector length of an instruction, and what they make of an operand's size.
 *
 *   66 89 c8   operand size 2            SZ_V 2, SZ_Z 2, SZ_Y 4
 *   48 89 c8   REX.W: operand size 8     SZ_V 8, SZ_Z 4, SZ_Y 8
 *   66 c3      near branches (F64): 8 on Intel's processors, 2 on AMD's (SDM vol. 2D, table A-1; APM vol. 3, 1.2.7)
 *
 * Sizes are looked up in a table, because a processor predicts branches on REX.W and ModRM.mod badly. */
#include "decoder.h"

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
