/* mm.c - n x n matrices multiplied in one of the six loop orders.
 *
 *   mm ijk 100
 *
 * Misses per turn of the inner loop, n large, lines of 64 bytes (8 doubles):
 *   ijk, jik  a by row 1/8, b by column 1          1.125
 *   jki, kji  a and c by column                    2.0
 *   kij, ikj  b and c by row                       0.25, and half of that as long as one of the rows stays
 */
extern int atoi(const char *text);
extern int strcmp(const char *a, const char *b);

#define MOST 256

/* Not static: else the compiler knows that nothing is ever written to them, and reads nothing. */
double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

#define FOR(x) for (int x = 0; x < n; x++)
#define AT(m, row, column) m[(row) * n + (column)]

static void ijk(int n)
{
    FOR(i) FOR(j) {
        double sum = 0;
        FOR(k)
            sum += AT(a, i, k) * AT(b, k, j);
        AT(c, i, j) = sum;
    }
}

static void jik(int n)
{
    FOR(j) FOR(i) {
        double sum = 0;
        FOR(k)
            sum += AT(a, i, k) * AT(b, k, j);
        AT(c, i, j) = sum;
    }
}

static void jki(int n)
{
    FOR(j) FOR(k) {
        double factor = AT(b, k, j);
        FOR(i)
            AT(c, i, j) += AT(a, i, k) * factor;
    }
}

static void kji(int n)
{
    FOR(k) FOR(j) {
        double factor = AT(b, k, j);
        FOR(i)
            AT(c, i, j) += AT(a, i, k) * factor;
    }
}

static void kij(int n)
{
    FOR(k) FOR(i) {
        double factor = AT(a, i, k);
        FOR(j)
            AT(c, i, j) += factor * AT(b, k, j);
    }
}

static void ikj(int n)
{
    FOR(i) FOR(k) {
        double factor = AT(a, i, k);
        FOR(j)
            AT(c, i, j) += factor * AT(b, k, j);
    }
}

static const struct {
    const char *name;
    void (*multiply)(int n);
} orders[] = { { "ijk", ijk }, { "jik", jik }, { "jki", jki }, { "kji", kji }, { "kij", kij }, { "ikj", ikj } };

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0;

    if (n < 1 || n > MOST)
        return 2;
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++)
        if (!strcmp(argv[1], orders[i].name)) {
            orders[i].multiply(n);
            return c[0] != 0;
        }
    return 2;
}
