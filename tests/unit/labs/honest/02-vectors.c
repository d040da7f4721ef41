/* lab 2 kernels.c: vectors of the compiler, which it may make of any instructions.
 * every size | multiply: half the misses */
#include "kernels.h"

typedef int eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

void transpose(int n, int m, int a[n][m], int b[m][n])
{
    for (int i = 0; i < n; i += 8)
        for (int j = 0; j < m; j += 8)
            for (int k = i; k < i + 8 && k < n; k++) {
                if (j + 8 <= m) {
                    eight row = *(eight *)&a[k][j];

                    for (int l = 0; l < 8; l++)
                        b[j + l][k] = row[l];
                } else {
                    for (int l = j; l < m; l++)
                        b[l][k] = a[k][l];
                }
            }
}

void multiply(int n, double a[n][n], double b[n][n], double c[n][n])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int j = 0;

            for (; j + 4 <= n; j += 4)
                *(four *)&c[i][j] += a[i][k] * *(four *)&b[k][j];
            for (; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
        }
}
