/* life.c - Conway's Game of Life on a torus: nine reads around each cell, two boards in turn. */
#include "guest.h"

#define SIDE 48
#define GENERATIONS 12

static uint8_t boards[2][SIDE][SIDE];

static unsigned neighbours(uint8_t (*board)[SIDE], unsigned row, unsigned column)
{
    unsigned count = 0;

    for (unsigned i = SIDE - 1; i <= SIDE + 1; i++)
        for (unsigned j = SIDE - 1; j <= SIDE + 1; j++)
            count += board[(row + i) % SIDE][(column + j) % SIDE];
    return count - board[row][column];
}

static NOINLINE void next_generation(uint8_t (*to)[SIDE], uint8_t (*from)[SIDE])
{
    for (unsigned row = 0; row < SIDE; row++) {
        for (unsigned column = 0; column < SIDE; column++) {
            unsigned count = neighbours(from, row, column);

            to[row][column] = count == 3 || (count == 2 && from[row][column]);
        }
    }
}

static int guest_main(void)
{
    static const uint8_t glider[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
    unsigned cells = 0;

    for (unsigned i = 0; i < 5; i++)
        boards[0][glider[i][0]][glider[i][1]] = 1;
    for (unsigned n = 0; n < GENERATIONS; n++)
        next_generation(boards[(n + 1) % 2], boards[n % 2]);
    for (unsigned i = 0; i < 5; i++) /* after 4 generations a glider is one cell further down and right */
        cells += boards[0][glider[i][0] + GENERATIONS / 4][glider[i][1] + GENERATIONS / 4];
    return EXPECT(cells == 5);
}
