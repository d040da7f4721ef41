/* work.c - three functions: one waits for memory, one for branches, one for nothing. */
#include <stdint.h>
#include <stdio.h>

#define WORDS (1u << 18)
#define ROUNDS 10

uint32_t table[WORDS];

__attribute__((noinline)) uint32_t walk(void)
{
    uint32_t sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < WORDS; i += 16)
            sum += table[i];
    return sum;
}

__attribute__((noinline)) uint32_t decide(uint32_t x)
{
    uint32_t n = 0;

    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; /* xorshift, Marsaglia 2003 */
        if (x & 1)
            n += x >> 3;
        else
            n ^= x << 1;
    }
    return n;
}

__attribute__((noinline)) uint32_t add(uint32_t x)
{
    for (int i = 0; i < 400000; i++)
        x = x * 5 + 1;
    return x;
}

int main(void)
{
    printf("%u\n", walk() + decide(2463534242u) + add(1));
    return 0;
}
