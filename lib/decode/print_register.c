/* lib/decode/print_register.c - names of registers: %rax in AT&T syntax, rax in Intel's. */
#include "printer.h"

static const char gpr16[8][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
static const char gpr8_low[8][4] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
static const char gpr8_high[4][3] = {"ah", "ch", "dh", "bh"};
static const char segments[8][3] = {"es", "cs", "ss", "ds", "fs", "gs", "?", "?"};

static void put_mark(struct printer *p)
{
    if (!p->intel)
        qn_decode_put_char(p, '%');
}

void qn_decode_put_numbered(struct printer *p, const char *name, unsigned n)
{
    put_mark(p);
    qn_decode_put(p, name);
    qn_decode_put_number(p, n);
}

void qn_decode_put_segment_name(struct printer *p, unsigned n)
{
    put_mark(p);
    qn_decode_put(p, segments[n]);
}

void qn_decode_put_gpr(struct printer *p, unsigned n, unsigned size)
{
    put_mark(p);
    if (size == 1 && n - QN_RSP < 4) {
        note_rex(p, 0);
        qn_decode_put(p, p->d->rex || is_vector_encoding(p->d) ? gpr8_low[n] : gpr8_high[n - QN_RSP]);
    } else if (n >= QN_R8) {
        qn_decode_put_char(p, 'r');
        qn_decode_put_number(p, n);
        qn_decode_put(p, size == 1 ? "b" : size == 2 ? "w" : size == 4 ? "d" : "");
    } else if (size == 1) {
        qn_decode_put(p, gpr8_low[n]);
    } else {
        qn_decode_put(p, size == 8 ? "r" : size == 4 ? "e" : "");
        qn_decode_put(p, gpr16[n]);
    }
}

/* As wide as addresses are. */
void qn_decode_put_address_register(struct printer *p, unsigned n)
{
    p->addr_used = true;
    qn_decode_put_gpr(p, n, p->d->addr_size);
}

void qn_decode_put_vector(struct printer *p, unsigned n, unsigned size)
{
    qn_decode_put_numbered(p, size >= 64 ? "zmm" : size == 32 ? "ymm" : "xmm", n);
}
