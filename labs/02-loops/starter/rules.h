/* rules.h - what transpose and multiply mean, for driver.c.
 *
 * a[i][j], of n rows and m columns, goes to b[ROW][COLUMN];  c[i][j] gets the sum of FACTORS over k. */
#define ROW(i, j, n, m) ((j + 0) % (m))
#define COLUMN(i, j, n, m) (i)
#define FACTORS(a, b, i, j, k) ((a)[i][k] * (b)[k][j])
