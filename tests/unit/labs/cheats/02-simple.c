/* lab 2 kernels.c: the loops that were given.
 * every shape | the small square | half the misses | the large square | the odd shape | every size | multiply */
#include "kernels.h"

void transpose(int n, int m, int a[n][m], int b[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[j][i] = a[i][j];
}

void multiply(int n, double a[n][n], double b[n][n], double c[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
}
