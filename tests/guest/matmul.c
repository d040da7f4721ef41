/* matmul.c - a matrix product in doubles in three loop orders and in blocks: scalar SSE and four walks over memory. */
#include "guest.h"

#define N 36
#define BLOCK 9

static double a[N][N], b[N][N], c[N][N], wanted[N][N];

static NOINLINE void fill(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = i - j;
            b[i][j] = i + 2 * j;
        }
    }
}

static NOINLINE void clear(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i][j] = 0;
}

static NOINLINE void multiply_ijk(double out[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;

            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            out[i][j] = sum;
        }
    }
}

static NOINLINE void multiply_ikj(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

static NOINLINE void multiply_jki(void)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                c[i][j] += a[i][k] * b[k][j];
}

static NOINLINE void multiply_blocked(void)
{
    for (int kk = 0; kk < N; kk += BLOCK)
        for (int jj = 0; jj < N; jj += BLOCK)
            for (int i = 0; i < N; i++)
                for (int j = jj; j < jj + BLOCK; j++)
                    for (int k = kk; k < kk + BLOCK; k++)
                        c[i][j] += a[i][k] * b[k][j];
}

static NOINLINE int differences(void)
{
    int count = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            count += c[i][j] != wanted[i][j];
    return count;
}

static int guest_main(void)
{
    int wrong = 0;

    fill();
    multiply_ijk(wanted);
    clear();
    multiply_ikj();
    wrong += differences();
    clear();
    multiply_jki();
    wrong += differences();
    clear();
    multiply_blocked();
    wrong += differences();
    return EXPECT(wrong == 0 && wanted[1][1] == -15468);
}
