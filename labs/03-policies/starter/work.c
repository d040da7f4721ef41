/* work.c - something to run: a table of 4 KiB that is looked up again and again, and between the lookups the next part
 * of a long list, whose cells are as long as a line and read once.
 *
 *   cc -O1 -g -o work work.c
 */
#include <stdint.h>
#include <stdio.h>

#define TABLE 1024
#define PART 64
#define ROUNDS 400
#define LOOKUPS 200

struct cell {
    uint32_t value, rest[15];
};

static volatile uint32_t table[TABLE];
static volatile struct cell list[ROUNDS * PART];

int main(void)
{
    uint32_t x = 2463534242u, sum = 0; /* xorshift, Marsaglia 2003 */

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LOOKUPS; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            sum += table[x % TABLE];
        }
        for (int i = 0; i < PART; i++)
            sum += list[round * PART + i].value;
    }
    printf("%u\n", sum);
    return 0;
}
