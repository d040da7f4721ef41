/* lib/decode/decoder.h - what is known of an instruction while it is being decoded; internal to lib/decode.
 *
 * prefix.c fills in the prefixes, decode.c finds the row of the tables and reads ModRM, operands.c turns the
 * row's operands into facts. */
#ifndef QN_DECODE_DECODER_H
#define QN_DECODE_DECODER_H

#include "tables.h"

#define NOT_VSIB_NO_INDEX 4 /* ModRM.rm = 4: SIB follows; SIB.index = 4: no index */

struct decoder {
    const uint8_t *bytes;
    struct qn_insn *insn;
    const struct row *row;
    struct qn_mem mem;  /* the ModRM memory operand without size and access */
    uint8_t opcode_map; /* enum map_id */
    uint8_t pos;        /* next byte to read */
    uint8_t opcode_end; /* after the last opcode byte */
    uint8_t limit;      /* bytes there are: at most 15 */
    uint8_t rex;        /* 0 or the REX byte */
    uint8_t w;          /* REX.W, VEX.W: 0 or 1 */
    uint8_t r, x, b;    /* upper bits for ModRM.reg (0, 8, 16, 24), index (0, 8), base and rm (0, 8) */
    uint8_t vvvv;       /* 0..15, EVEX 0..31; 0 if the instruction has none */
    uint8_t length_code; /* VEX.L, EVEX.L'L */
    uint8_t pp;         /* mandatory prefix: 0 none, 1 66, 2 F3, 3 F2 */
    uint8_t segment;    /* enum qn_seg */
    uint8_t addr32, lock;
    uint8_t broadcast;  /* EVEX.b */
    uint8_t zeroing;    /* EVEX.z */
    uint8_t mod, reg, rm, sib;
    uint8_t vector;     /* vector length in bytes: 16, 32, 64 */
    uint8_t opsize;     /* 2, 4, 8 */
    uint8_t vvvv_used;
    uint8_t popped;     /* bytes that a pop has already taken from the stack */
};
_Static_assert(sizeof(struct decoder) % 8 == 0 && sizeof(struct qn_insn) % 8 == 0, "cleared by words");

/* decode.c: decode and keep what was learned on the way (the printer wants it). */
enum qn_decode_status qn_decode_analyse(struct decoder *d, const uint8_t *bytes, size_t avail, struct qn_insn *insn);

/* operands.c: bytes of an operand. */
unsigned qn_decode_operand_bytes(const struct decoder *d, unsigned size);

/* prefix.c: read everything before the opcode, and the opcode. */
enum qn_decode_status qn_decode_prefixes(struct decoder *d);

/* operands.c: facts of the row's operands, immediates included. */
enum qn_decode_status qn_decode_operand_facts(struct decoder *d);

typedef uint64_t __attribute__((may_alias)) any_word;

/* Zero `bytes` bytes, a multiple of 8.  The compilers would make it `rep stos`, which costs more than all
 * the rest of the decoder (30 ns against 20); the empty asm statement keeps them from it. */
static inline void clear_words(void *start, size_t bytes)
{
    any_word *word = start;

    for (size_t i = 0; i < bytes / sizeof *word; i++) {
        word[i] = 0;
        __asm__ volatile("");
    }
}

/* VEX, EVEX or XOP. */
static inline bool is_vector_encoding(const struct decoder *d)
{
    return d->insn->encoding >= QN_ENC_VEX && d->insn->encoding <= QN_ENC_XOP;
}

/* Are there n more bytes?  If not, the status says why. */
static inline bool bytes_left(const struct decoder *d, unsigned n)
{
    return d->pos + n <= d->limit;
}

static inline enum qn_decode_status bytes_missing(const struct decoder *d, unsigned n)
{
    return d->pos + n > QN_INSN_MAX_LEN ? QN_DEC_TOO_LONG : QN_DEC_TRUNCATED;
}

/* Little-endian value of n bytes, sign-extended. */
static inline int64_t read_signed(const uint8_t *p, unsigned n)
{
    switch (n) {
    case 1:
        return (int8_t)p[0];
    case 2:
        return (int16_t)(p[0] | p[1] << 8);
    case 4:
        return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    default:
        return (int64_t)((uint64_t)(uint32_t)read_signed(p, 4) | (uint64_t)read_signed(p + 4, 4) << 32);
    }
}

#endif
