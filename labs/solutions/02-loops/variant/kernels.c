/* kernels.c - lab 2, a solution for variants: the standard one, with every place of b turned and moved, which leaves the conflicts as they
 * are.  TURN, MOVED and PRODUCT are defined before it. */
#include "kernels.h"

#define ROW(j) (((TURN == 2 ? (j) : m - 1 - (j)) + MOVED) % m)
#define COLUMN(i) (TURN == 3 ? (i) : n - 1 - (i))
#define B(j, i) b[ROW(j)][COLUMN(i)]
#define BLOCK 4 /* of multiply: numbers of a line */

#define LINE_INTS 8    /* in a line */

/* Inlined where n and m are constants, so that rows lie at constant distances: else the compiler needs more registers
 * than there are, and what it keeps on the stack evicts lines.
 *
 * A block of 8 x 8 whose lines in a and b want different places: a row of a is read into registers, then written, so
 * that a block on the diagonal does not evict its own line at every step. */
static inline __attribute__((always_inline)) void transpose_block(int n, int m, int a[n][m], int b[m][n], int i, int j)
{
    for (int k = i; k < i + LINE_INTS; k++) {
        int r0 = a[k][j], r1 = a[k][j + 1], r2 = a[k][j + 2], r3 = a[k][j + 3];
        int r4 = a[k][j + 4], r5 = a[k][j + 5], r6 = a[k][j + 6], r7 = a[k][j + 7];

        B(j, k) = r0, B(j + 1, k) = r1, B(j + 2, k) = r2, B(j + 3, k) = r3;
        B(j + 4, k) = r4, B(j + 5, k) = r5, B(j + 6, k) = r6, B(j + 7, k) = r7;
    }
}

/* The same where rows that are four apart collide (64 x 64): only four rows of b at a time.  The right half of the
 * upper rows of a is kept in the upper right quarter of b until its place below is free. */
static inline __attribute__((always_inline)) void transpose_halves(int n, int m, int a[n][m], int b[m][n], int i, int j)
{
    for (int k = i; k < i + 4; k++) {
        int r0 = a[k][j], r1 = a[k][j + 1], r2 = a[k][j + 2], r3 = a[k][j + 3];
        int r4 = a[k][j + 4], r5 = a[k][j + 5], r6 = a[k][j + 6], r7 = a[k][j + 7];

        B(j, k) = r0, B(j + 1, k) = r1, B(j + 2, k) = r2, B(j + 3, k) = r3;
        B(j, k + 4) = r4, B(j + 1, k + 4) = r5, B(j + 2, k + 4) = r6, B(j + 3, k + 4) = r7;
    }
    for (int k = j; k < j + 4; k++) {
        int r0 = a[i + 4][k], r1 = a[i + 5][k], r2 = a[i + 6][k], r3 = a[i + 7][k];
        int r4 = B(k, i + 4), r5 = B(k, i + 5), r6 = B(k, i + 6), r7 = B(k, i + 7);

        B(k, i + 4) = r0, B(k, i + 5) = r1, B(k, i + 6) = r2, B(k, i + 7) = r3;
        B(k + 4, i) = r4, B(k + 4, i + 1) = r5, B(k + 4, i + 2) = r6, B(k + 4, i + 3) = r7;
    }
    for (int k = i + 4; k < i + 8; k++) {
        int r0 = a[k][j + 4], r1 = a[k][j + 5], r2 = a[k][j + 6], r3 = a[k][j + 7];

        B(j + 4, k) = r0, B(j + 5, k) = r1, B(j + 6, k) = r2, B(j + 7, k) = r3;
    }
}

/* Any shape: strips as wide as a line, so that a line of b that is written is written again soon. */
static void transpose_any(int n, int m, int a[n][m], int b[m][n])
{
    for (int j0 = 0; j0 < m; j0 += LINE_INTS)
        for (int i = 0; i < n; i++)
            for (int j = j0; j < j0 + LINE_INTS && j < m; j++)
                B(j, i) = a[i][j];
}

void transpose(int n, int m, int a[n][m], int b[m][n])
{
    if (n == 32 && m == 32) {
        for (int j = 0; j < 32; j += LINE_INTS)
            for (int i = 0; i < 32; i += LINE_INTS)
                transpose_block(32, 32, a, b, i, j);
    } else if (n == 64 && m == 64) {
        for (int j = 0; j < 64; j += LINE_INTS)
            for (int i = 0; i < 64; i += LINE_INTS)
                transpose_halves(64, 64, a, b, i, j);
    } else {
        transpose_any(n, m, a, b);
    }
}

/* A block of b stays while all rows of c, or columns of a, go by. */
void multiply(int n, double a[n][n], double b[n][n], double c[n][n])
{
    for (int j0 = 0; j0 < n; j0 += BLOCK)
        for (int k0 = 0; k0 < n; k0 += BLOCK)
            for (int i = 0; i < n; i++)
                for (int k = k0; k < k0 + BLOCK && k < n; k++)
                    for (int j = j0; j < j0 + BLOCK && j < n; j++)
                        c[i][j] += a[k][i] * (PRODUCT == 1 ? b[k][j] : b[j][k]);
}
