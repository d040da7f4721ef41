/* work.c - a program that prints its own trace: a matrix is multiplied by a vector, again and again, and a table is
 * looked up.
 *
 *   cc -O1 -o work work.c && ./work >work.trace
 */
#include <stdint.h>
#include <stdio.h>

#define N 48
#define ROUNDS 6
#define TABLE 0x100000

static void load(uint32_t addr) { printf(" L %x,8\n", addr); }

int main(void)
{
    uint32_t x = 2463534242u; /* xorshift, Marsaglia 2003 */

    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                load(0x10000 + 8 * (uint32_t)(i * N + j)); /* the matrix: 18 KiB */
                load(0x20000 + 8 * (uint32_t)j);           /* the vector */
            }
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            load(TABLE + 8 * (x % 4096));
            printf(" S %x,8\n", 0x30000 + 8 * i);          /* the result */
        }
    return 0;
}
