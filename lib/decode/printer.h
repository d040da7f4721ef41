/* lib/decode/printer.h - what the text printer keeps; internal to lib/decode.
 *
 * print_operands.c prints the operands; print.c prefixes and mnemonic, and puts the line together. */
#ifndef QN_DECODE_PRINTER_H
#define QN_DECODE_PRINTER_H

#include "decoder.h"

/* Text of limited size; what does not fit is dropped. */
struct text {
    char *start;
    size_t size;
    size_t used;
};

struct printer {
    struct decoder *d;
    const struct qn_insn *insn;
    const struct row *row;
    uint64_t pc;
    struct text *out;
    bool intel;           /* Intel syntax; otherwise AT&T */
    bool hide_immediate;  /* the mnemonic says it already */
    bool has_mem;         /* a ModRM memory operand */
    bool has_target;      /* RIP-relative: objdump names the address at the end */
    uint64_t target;
    /* Which prefixes had a meaning; objdump prints the others by name. */
    uint8_t rex_used;
    bool data_used, addr_used, seg_used, ds_used, lock_used;
    bool length_shown;    /* a vector register was printed, whose name shows the vector length */
};

/* print_operands.c: characters, words and numbers behind the text so far; what does not fit is dropped. */
void qn_decode_put(struct printer *p, const char *s);
void qn_decode_put_char(struct printer *p, char c);
void qn_decode_put_hex(struct printer *p, uint64_t value);       /* 1f */

static inline uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes >= 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

/* print_operands.c: operands in the order of the syntax, with masks, broadcast and rounding. */
void qn_decode_print_operands(struct printer *p);

/* A general register by number and bytes. */
void qn_decode_put_gpr(struct printer *p, unsigned n, unsigned size);

/* Would 3E be CET's notrack? */
bool qn_decode_takes_notrack(const struct printer *p);

/* Bytes of an operand; notes that REX.W or 66h determined them. */
unsigned qn_decode_note_bytes(struct printer *p, unsigned size_code);

/* Note that a bit of REX had a meaning: 8 W, 4 R, 2 X, 1 B, 0 = that there is one at all. */
static inline void note_rex(struct printer *p, unsigned bits)
{
    if (p->d->rex && (bits == 0 || (p->d->rex & bits)))
        p->rex_used |= 0x40 | (p->d->rex & bits);
}

#endif
