/* kernels.h - what kernels.c has to define. */
#ifndef KERNELS_H
#define KERNELS_H

/* b[j][i] = a[i][j] for all i < n, j < m. */
void transpose(int n, int m, int a[n][m], int b[m][n]);

/* c = c + a * b. */
void multiply(int n, double a[n][n], double b[n][n], double c[n][n]);

#endif
