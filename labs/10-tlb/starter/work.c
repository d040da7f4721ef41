/* work.c - looks up words in a table in pages of 4 KiB, then in one that lies where huge.c has huge pages.  Both are 4 MiB. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define WORDS (1u << 20)
#define LOOKUPS 100000

static uint32_t small[WORDS];

static uint32_t look_up(const uint32_t *table, unsigned n)
{
    uint32_t x = 2463534242u, sum = 0; /* xorshift, Marsaglia 2003 */

    for (unsigned i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        sum += table[x % WORDS];
    }
    return sum;
}

int main(void)
{
    void *at = mmap((void *)(3ull << 40), sizeof small, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t sum = 0;

    if (at == MAP_FAILED)
        return 1;
    for (unsigned i = 0; i < WORDS; i += 256)
        sum += small[i];
    sum += look_up(small, LOOKUPS);
    sum += look_up(at, LOOKUPS);
    printf("%u\n", sum);
    return 0;
}
