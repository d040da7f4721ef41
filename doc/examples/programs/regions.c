/* regions.c - parts of a run that the program names (doc/run.md). */
#include <quern.h>

enum { N = 100 };
static double plate[N][N];

static void step(void)
{
    QUERN_REGION_BEGIN("step");
    for (int x = 1; x < N - 1; x++)
        for (int y = 1; y < N - 1; y++)
            plate[y][x] = (plate[y - 1][x] + plate[y + 1][x] + plate[y][x - 1] + plate[y][x + 1]) / 4;
    QUERN_REGION_END("step");
}

int main(void)
{
    QUERN_REGION_BEGIN("setup");
    for (int i = 0; i < N; i++)
        plate[0][i] = plate[i][0] = i;
    QUERN_REGION_END("setup");

    QUERN_REGION_BEGIN("solve");
    for (int i = 0; i < 10; i++)
        step();
    QUERN_REGION_END("solve");
    return plate[N / 2][N / 2] < 0;
}
