/* work.c - every third line of an array; a ring of 12 KiB that is read again and again; and a table that is used often, while a list comes once. */
#include <stdint.h>
#include <stdio.h>

#define SAMPLES (1 << 17)
#define RING 3072
#define TABLE 1024
#define LIST 40000

uint64_t samples[SAMPLES];
uint32_t ring[RING], table[TABLE], list[4 * LIST];

int main(void)
{
    uint32_t x = 2463534242u, sum = 0; /* xorshift, Marsaglia 2003 */

    for (int i = 0; i < SAMPLES; i += 24)
        sum += (uint32_t)samples[i];
    for (int i = 0; i < 400 * RING; i += 16)
        sum += ring[i % RING];
    for (int i = 0; i < LIST; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        sum += table[x % TABLE];
        sum += list[4 * i];
    }
    printf("%u\n", sum);
    return 0;
}
