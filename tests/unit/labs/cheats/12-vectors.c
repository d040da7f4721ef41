/* lab 12 layout.c: each particle by one wide reference over two lines, and by prefetches, as if one of them were a miss less.
 * scan */
#include "kernels.h"

typedef unsigned wide __attribute__((vector_size(64), aligned(4)));

void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned carry = 0, *particles = room + 12;

    for (long i = 0; i < n; i++)
        *(wide *)(particles + i * WORDS_EACH) = *(const wide *)(in + i * WORDS_EACH);
    for (long round = 0; round < m; round++)
        for (long i = 0; i < n; i++) {
            wide p = *(wide *)(particles + i * WORDS_EACH);

            __builtin_prefetch(particles + (i + 1) * WORDS_EACH);
            carry = 5 * carry + p[0], p[0] += p[8] ^ carry;
            *(wide *)(particles + i * WORDS_EACH) = p;
        }
    for (long i = 0; i < n; i++)
        out[i] = particles[i * WORDS_EACH];
}

void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out) { room[0] = out[0] = in[0] + n + m; }
void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out) { room[0] = out[0] = in[0] + n + m; }
