/* rows.c - one matrix is added up twice, in two loop orders. */
#define N 512

double a[N][N];

int main(void)
{
    double rows = 0, columns = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            rows += a[i][j];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            columns += a[i][j];
    return rows == columns ? 0 : 1;
}
