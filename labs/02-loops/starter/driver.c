/* driver.c - calls one kernel on numbers drawn from a seed, with the call marked as a region for quern.
 *
 *   ./loops transpose 32 32          prints "right" or what is wrong
 *   ./loops multiply 96              ./loops simple 96: i, j, k as in a book, to compare with
 *   ./loops transpose 32 32 7 dump   numbers from seed 7; the result as bytes instead of a word
 *
 * The matrices begin at multiples of 64 KiB, so in any small cache a[0][0] and b[0][0] want the same place.  A kernel runs on
 * a stack of its own (stack.h).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "quern.h"
#include "rules.h"
#include "stack.h"

#define CELLS 65536 /* per matrix; 8 bytes each */

static double memory[3][CELLS] __attribute__((aligned(65536)));
static int judge(int wrong)
{
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}

static int rows, columns, is_simple;

static void call_transpose(void)
{
    int n = rows, m = columns;

    QUERN_REGION_BEGIN("kernel");
    transpose(n, m, (int(*)[m])memory[0], (int(*)[n])memory[1]);
    QUERN_REGION_END("kernel");
}

static int run_transpose(int n, int m, int dump)
{
    int(*a)[m] = (int(*)[m])memory[0], (*b)[n] = (int(*)[n])memory[1], wrong = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = (int)draw(1000);
    call_on_stack(call_transpose);
    if (dump)
        return fwrite(b, sizeof(int), (size_t)n * m, stdout) != (size_t)n * m;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            wrong += b[ROW(i, j, n, m)][COLUMN(i, j, n, m)] != a[i][j];
    return judge(wrong);
}

static void simple(int n, double a[n][n], double b[n][n], double c[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += FACTORS(a, b, i, j, k);
            c[i][j] += sum;
        }
}

static void call_multiply(void)
{
    int n = rows, as_in_book = is_simple;
    double(*a)[n] = (double(*)[n])memory[0], (*b)[n] = (double(*)[n])memory[1], (*c)[n] = (double(*)[n])memory[2];

    QUERN_REGION_BEGIN("kernel");
    if (as_in_book)
        simple(n, a, b, c);
    else
        multiply(n, a, b, c);
    QUERN_REGION_END("kernel");
}

/* Whole numbers: the sums are exact, in whatever order they are made. */
static int run_multiply(int n, int dump)
{
    double(*a)[n] = (double(*)[n])memory[0], (*b)[n] = (double(*)[n])memory[1], (*c)[n] = (double(*)[n])memory[2];
    int wrong = 0;

    for (int i = 0; i < 3 * CELLS; i++)
        memory[i / CELLS][i % CELLS] = (double)draw(1000);
    call_on_stack(call_multiply);
    if (dump)
        return fwrite(c, sizeof(double), (size_t)n * n, stdout) != (size_t)n * n;
    state -= CELLS * 0x9e3779b97f4a7c15; /* the numbers of c, once more */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = (double)draw(1000);

            for (int k = 0; k < n; k++)
                sum += FACTORS(a, b, i, j, k);
            wrong += c[i][j] != sum;
        }
    return judge(wrong);
}

int main(int argc, char **argv)
{
    int is_transpose = argc > 1 && !strcmp(argv[1], "transpose"), n = argc > 2 ? atoi(argv[2]) : 0;
    int m = is_transpose && argc > 3 ? atoi(argv[3]) : n, seed = 3 + is_transpose;

    if (n < 1 || m < 1 || n > CELLS / m || m > CELLS / n)
        return fprintf(stderr, "usage: loops transpose N M | multiply N | simple N, at most 65536 numbers\n"), 2;
    state = argc > seed ? strtoull(argv[seed], NULL, 10) : 1;
    rows = n;
    columns = m;
    is_simple = !strcmp(argv[1], "simple");
    return is_transpose ? run_transpose(n, m, argc > seed + 1) : run_multiply(n, argc > seed + 1);
}
