/* lib/decode/decoder.h - what is known of an instruction while it is being decoded; internal to lib/decode.
 *
 * encoding.c fills in the prefixes, ModRM and the address; decode.c finds the row of the tables; operands.c turns its operands into facts,
 * decode.c its effects. */
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
    uint8_t limit;      /* number of bytes that may be read: at most 15 */
    uint8_t rex;        /* 0 or the REX byte */
    uint8_t w, r, x, b; /* REX.W, VEX.W: 0 or 1; upper bits for ModRM.reg (0, 8, 16, 24), index (0, 8), base and rm
                           (0, 8); encoding.c sets all four at once */
    uint16_t key;       /* what a row's `when` may ask for: KEY_... of tables.h */
    uint8_t vvvv;       /* 0..15, EVEX 0..31; 0 if the instruction has none */
    uint8_t vvvv_given; /* its field is not the value for "no register" */
    uint8_t length_code; /* VEX.L, EVEX.L'L */
    uint8_t pp;         /* mandatory prefix: 0 none, 1 66, 2 F3, 3 F2 */
    uint8_t segment;    /* enum qn_seg */
    uint8_t mode32;     /* 32-bit mode */
    uint8_t on;         /* machines of tables.h that this one is */
    uint8_t addr67;     /* 67h seen */
    uint8_t addr_size;  /* bytes: 8, 4, 2 */
    uint8_t lock;
    uint8_t broadcast;  /* EVEX.b */
    uint8_t zeroing;    /* EVEX.z */
    uint8_t mod, reg, rm, sib;
    uint8_t vector;     /* vector length in bytes: 16, 32, 64 */
    uint8_t opsize;     /* 2, 4, 8 */
    uint8_t size_state; /* column of qn_decode_bytes for opsize and vector */
    uint8_t vvvv_used;
    uint8_t popped;     /* bytes that a pop has already taken from the stack */
};
_Static_assert(sizeof(struct decoder) % 8 == 0 && sizeof(struct qn_insn) % 8 == 0, "cleared by words");

/* decode.c: decodes, and leaves in *d what the printer needs besides *insn. */
enum qn_decode_status qn_decode_analyse(struct decoder *d, enum qn_machine machine, const uint8_t *bytes, size_t avail,
                                        struct qn_insn *insn);

/* operands.c: set both sizes; bytes of an operand. */
void qn_decode_sizes(struct decoder *d);
unsigned qn_decode_odd_bytes(const struct decoder *d, unsigned size);

static inline unsigned qn_decode_operand_bytes(const struct decoder *d, unsigned size)
{
    return size < SZ_BY_MACHINE ? qn_decode_bytes[size][d->size_state] : qn_decode_odd_bytes(d, size);
}

/* encoding.c: read everything before the opcode, and the opcode. */
enum qn_decode_status qn_decode_prefixes(struct decoder *d);

/* SIB and displacement, which make the memory operand. */
enum qn_decode_status qn_decode_address(struct decoder *d);
uint8_t qn_decode_default_segment(const struct decoder *d, unsigned base);

/* operands.c: facts of the row's operands, immediates included. */
enum qn_decode_status qn_decode_operand_facts(struct decoder *d);

typedef uint64_t __attribute__((may_alias)) any_word;

/* Zero `bytes` bytes, a multiple of 8.  The compilers would make it `rep stos`, which costs more than all
 * the rest of the decoder (30 ns against 20); the empty asm statement keeps them from it. */
static inline void clear_words(void *start, size_t bytes)
{
    any_word *word = start;

#pragma GCC unroll 32
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

/* Little-endian value of n bytes, 1 to 8, sign-extended. */
static inline int64_t read_exactly(const uint8_t *p, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = n; i > 0; i--)
        value = value << 8 | p[i - 1];
    return (int64_t)(value << (64 - 8 * n)) >> (64 - 8 * n);
}

/* The same for the next n bytes, 0 to 8, which must exist; 0 for n = 0.  If four bytes are left, there is no branch on n,
 * which no processor could predict. */
static inline int64_t read_signed(const struct decoder *d, unsigned n)
{
    const uint8_t *p = d->bytes + d->pos;
    uint32_t four;

    if (n > 4 || d->pos + 4u > d->limit)
        return n ? read_exactly(p, n) : 0;
    __builtin_memcpy(&four, p, 4);
    return (int64_t)((uint64_t)four << ((64 - 8 * n) & 63)) >> ((64 - 8 * n) & 63) & -(int64_t)(n != 0);
}

#endif
