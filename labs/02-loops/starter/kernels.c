/* kernels.c - two loop nests, written as a book on mathematics would.  Make them miss less: see HANDOUT.md.
 *
 * No library: only C.  Local variables that fit into registers cost nothing; arrays of your own are memory as all
 * other is.
 */
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
