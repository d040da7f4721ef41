/* conflict.c - a matrix multiplication whose columns fall into a few sets of a small cache.
 *
 * A row has 32 doubles, 256 bytes, of which 16 are used.  In a cache of 2 KiB with two ways and lines of 64 bytes there are 16 sets, so the 16
 * lines of a column of b lie in four of them, 8 places, while half of the cache is free: conflicts.  With rows of 40 doubles, -DPAD=8, they
 * spread over all sets.
 */
#include <quern.h>

#ifndef PAD
#define PAD 0
#endif
#define N 16
#define WIDTH (32 + PAD)

double a[N][WIDTH], b[N][WIDTH], c[N][WIDTH];

int main(void)
{
    QUERN_REGION_BEGIN("multiply");
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
    QUERN_REGION_END("multiply");
    return 0;
}
