/* lib/decode/printer.h - what the text printer keeps; internal to lib/decode.
 *
 * print.c puts the line together from its parts: print_prefix.c, print_mnemonic.c, and print_operands.c with
 * print_operand.c, print_register.c and print_memory.c; all of them write by print_text.c. */
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

/* print_text.c */
void qn_decode_put(struct printer *p, const char *s);
void qn_decode_put_char(struct printer *p, char c);
void qn_decode_put_hex(struct printer *p, uint64_t value);       /* 1f */
void qn_decode_put_number(struct printer *p, unsigned n);        /* decimal, 0..99 */

static inline uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes >= 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

/* print_mnemonic.c: mnemonic with suffix, predicate, branch hint. */
void qn_decode_print_mnemonic(struct printer *p);

/* print_operands.c: operands in the order of the syntax, with masks, broadcast and rounding. */
void qn_decode_print_operands(struct printer *p);

/* print_operand.c: an operand; the immediate at an offset from the instruction's first byte; a value, as $0x1f, in Intel syntax as 0x1f. */
void qn_decode_put_operand(struct printer *p, const struct operand_info *info);
void qn_decode_put_immediate(struct printer *p, const struct operand_info *info, unsigned offset);
void qn_decode_put_immediate_value(struct printer *p, uint64_t value);

/* print_register.c */
void qn_decode_put_gpr(struct printer *p, unsigned n, unsigned size);
void qn_decode_put_address_register(struct printer *p, unsigned n);
void qn_decode_put_vector(struct printer *p, unsigned n, unsigned size);
void qn_decode_put_numbered(struct printer *p, const char *name, unsigned n); /* "k" 1 -> %k1 */
void qn_decode_put_segment_name(struct printer *p, unsigned n);               /* as ModRM.reg counts them */

/* print_memory.c: the operand of ModRM; one that the opcode implies. */
void qn_decode_put_memory(struct printer *p, const struct operand_info *info);
void qn_decode_put_implicit_memory(struct printer *p, const struct operand_info *info);

/* print_prefix.c: prefixes that nothing else shows. */
void qn_decode_print_prefixes(struct printer *p);
bool qn_decode_is_null_segment(uint8_t byte); /* 2e 36 3e 26 */
bool qn_decode_is_notrack(const struct printer *p);
bool qn_decode_takes_hint(const struct qn_insn *insn); /* 2e, 3e print as ,pn and ,pt */

/* print_text.c: bytes of an operand; notes that REX.W or 66h determined them. */
unsigned qn_decode_note_bytes(struct printer *p, unsigned size_code);

/* Note that a bit of REX had a meaning: 8 W, 4 R, 2 X, 1 B, 0 = that there is one at all. */
static inline void note_rex(struct printer *p, unsigned bits)
{
    if (p->d->rex && (bits == 0 || (p->d->rex & bits)))
        p->rex_used |= 0x40 | (p->d->rex & bits);
}

#endif
