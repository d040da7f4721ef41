/* work.c - something to run: an array is read from end to end, a table is looked up, a list is followed.
 *
 *   cc -O1 -g -o work work.c
 */
#include <stdint.h>
#include <stdio.h>

#define ARRAY 32768
#define TABLE 16384
#define CELLS 4096
#define STEP 1021 /* odd, so that all cells come once */

struct cell {
    struct cell *next;
    char rest[56]; /* a line */
};

static volatile uint32_t array[ARRAY], table[TABLE];
static struct cell cells[CELLS];

int main(void)
{
    uint32_t x = 2463534242u, sum = 0; /* xorshift, Marsaglia 2003 */
    struct cell *cell = cells;

    for (int i = 0; i < CELLS; i++)
        cells[i].next = &cells[(i + STEP) % CELLS];
    for (int i = 0; i < ARRAY; i++)
        sum += array[i];
    for (int i = 0; i < ARRAY / 4; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        sum += table[x % TABLE];
    }
    for (int i = 0; i < CELLS; i++)
        cell = cell->next;
    printf("%u %d\n", sum, (int)(cell - cells));
    return 0;
}
