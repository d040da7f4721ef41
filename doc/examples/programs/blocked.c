/* blocked.c - 128 x 128 matrices multiplied in blocks of B x B.
 *
 *   blocked 16
 *
 * Three blocks of 8 B^2 bytes are in use at a time.  While they fit, each line is fetched about n/B times less often.
 */
extern int atoi(const char *text);

#define N 128

/* Not static: else the compiler knows that a and b are never written, and reads nothing. */
double a[N][N + 8], b[N][N + 8], c[N][N + 8]; /* rows are no power of two apart */

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 0;

    if (size < 1 || size > N || N % size)
        return 2;
    for (int jj = 0; jj < N; jj += size)
        for (int kk = 0; kk < N; kk += size)
            for (int i = 0; i < N; i++)
                for (int j = jj; j < jj + size; j++) {
                    double sum = c[i][j];
                    for (int k = kk; k < kk + size; k++)
                        sum += a[i][k] * b[k][j];
                    c[i][j] = sum;
                }
    return c[1][1] != 0;
}
