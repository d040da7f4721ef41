/* matmul.c - a matrix multiply of 512 by 512 doubles, so many times: loops, few misses in L1, many lines in LL. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };

static double a[N][N], b[N][N], c[N][N];

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    for (int t = 0; t < times; t++)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];
    printf("%g %g\n", c[1][2], c[N - 1][N - 1]);
    return 0;
}
