/* lib/decode/printer.h - what the text printer keeps; internal to lib/decode.
 *
 * print.c makes prefixes and mnemonic, print_operand.c the operands. */
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
    bool hide_immediate;  /* the mnemonic says it already */
    bool has_mem;         /* a ModRM memory operand */
    bool has_target;      /* RIP-relative: objdump names the address at the end */
    uint64_t target;
    /* Which prefixes had a meaning; objdump prints the others by name. */
    uint8_t rex_used;
    bool data_used, addr_used, seg_used, rep_used, ds_used;
};

void qn_decode_text_char(struct text *t, char c);
void qn_decode_text_string(struct text *t, const char *s);
void qn_decode_text_hex(struct text *t, uint64_t value); /* 1f */

/* Operands in AT&T order, with masks, broadcast and rounding. */
void qn_decode_print_operands(struct printer *p);

/* Prefixes that nothing else shows. */
void qn_decode_print_prefixes(struct printer *p);
bool qn_decode_is_null_segment(uint8_t byte); /* 2e 36 3e 26 */
bool qn_decode_takes_hint(const struct qn_insn *insn); /* 2e, 3e print as ,pn and ,pt */

/* Note that a size was determined by REX.W or 66h. */
void qn_decode_note_size(struct printer *p, unsigned size_code);

/* Note that a bit of REX had a meaning: 8 W, 4 R, 2 X, 1 B, 0 = that there is one at all. */
static inline void note_rex(struct printer *p, unsigned bits)
{
    if (p->d->rex && (bits == 0 || (p->d->rex & bits)))
        p->rex_used |= 0x40 | (p->d->rex & bits);
}

#endif
