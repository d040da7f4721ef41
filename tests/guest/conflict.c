/* conflict.c - self-conflicting arrays: rows exactly one power of two apart fall into the same set, so k rows walked
 * together need k ways.  For each k from 1 to 10 this is just below, at and above what some cache has. */
#include "guest.h"

#define MAX_ROWS 10
#define ROW (1u << 14) /* bytes */
#define COLUMNS 64     /* doublewords used of each row */
#define ROUNDS 6

static uint32_t rows[MAX_ROWS][ROW / sizeof(uint32_t)] __attribute__((aligned(4096)));

static NOINLINE uint64_t walk_together(unsigned count)
{
    uint64_t sum = 0;

    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned row = 0; row < count; row++)
                sum += rows[row][column];
    return sum;
}

/* The classic: dst and src conflict with each other only. */
static NOINLINE void ping_pong(uint32_t *dst, const uint32_t *src)
{
    for (unsigned column = 0; column < COLUMNS; column++)
        dst[column] += src[column];
}

static int guest_main(void)
{
    uint64_t sum = 0;

    for (unsigned row = 0; row < MAX_ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            rows[row][column] = 1;
    for (unsigned count = 1; count <= MAX_ROWS; count++)
        sum += walk_together(count);
    ping_pong(rows[0], rows[1]);
    ping_pong(rows[1], rows[0]);
    return EXPECT(sum == 55 * ROUNDS * COLUMNS && rows[1][COLUMNS - 1] == 3);
}
