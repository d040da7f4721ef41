/* lib/decode/print_text.c - characters, words and numbers behind the text so far; what does not fit is dropped. */
#include "printer.h"

void qn_decode_put_char(struct printer *p, char c)
{
    struct text *t = p->out;

    if (t->used + 1 < t->size)
        t->start[t->used++] = c;
}

void qn_decode_put(struct printer *p, const char *s)
{
    while (*s)
        qn_decode_put_char(p, *s++);
}

void qn_decode_put_hex(struct printer *p, uint64_t value)
{
    unsigned shift = 60;

    while (shift && !(value >> shift))
        shift -= 4;
    for (;; shift -= 4) {
        qn_decode_put_char(p, "0123456789abcdef"[value >> shift & 15]);
        if (!shift)
            break;
    }
}

void qn_decode_put_number(struct printer *p, unsigned n)
{
    if (n >= 10)
        qn_decode_put_char(p, '0' + n / 10);
    qn_decode_put_char(p, '0' + n % 10);
}

unsigned qn_decode_note_bytes(struct printer *p, unsigned code)
{
    uint64_t traits = p->row->traits;
    bool by_w = code == SZ_V || code == SZ_Y || (code == SZ_P && !(p->d->on & ON_AMD));
    bool by_66 = code == SZ_V || code == SZ_Z || code == SZ_P || code == SZ_ENV || code == SZ_SAVE || code == SZ_A ||
                 code == SZ_MOVSXD;

    if (by_w && !(traits & (D64 | F64)))
        note_rex(p, 8);
    if (by_66 && !p->d->w && !((traits & F64) && p->d->opsize == 8))
        p->data_used = true;
    if (code == SZ_ADDR)
        p->addr_used = true;
    return qn_decode_operand_bytes(p->d, code);
}
