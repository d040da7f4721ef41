/* demo.c - a first program to look at with quern: what the caches think of three ways to use memory.
 *
 *   gcc -g -O1 -o demo demo.c
 *   quern run --D1=8192,2,64 ./demo          then: quern annotate cachegrind.out.PID
 *
 * It multiplies two matrices twice, with the same arithmetic in two loop orders, and then fills and asks a hash table.
 * It is deterministic and prints a checksum, so a run under quern can be compared with a plain one.
 *
 * What to look for in the annotated source:
 *   1. Ir of the two inner loops: nearly the same.  They do the same work.
 *   2. D1mr of the two inner loops: far apart.  Why?  Draw the walk of each array over the cache lines.
 *   3. The hash table: one line of code has nearly all the LL misses of the function.  Which, and what would help?
 *   4. Run it again with --D1=65536,16,64.  Which of the differences went away, and which stayed?
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    N = 256,               /* rows and columns; a column of doubles touches 256 lines, 16 KiB: twice a D1 of 8 KiB */
    SLOTS = 1 << 18,       /* hash table: 4 MiB, four times the last-level cache of the demo */
    KEYS = 120000,         /* keeps the table less than half full, so that probing stays short */
    ASKS = 240000          /* half of them for keys that are not there */
};

static double a[N][N], b[N][N], c[N][N];

struct slot {
    uint64_t key;          /* 0 = empty */
    uint64_t value;
};

static struct slot table[SLOTS];

static void fill_matrices(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (double)((i * 7 + j * 3) % 16);
            b[i][j] = (double)((i * 5 + j * 11) % 16);
            c[i][j] = 0;
        }
    }
}

/* The order of the textbook.  The inner loop walks down a column of b: each step is N * 8 bytes further, so each step
 * is on another cache line, and by the time the next column is due, the line has long been evicted. */
static void multiply_ijk(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;

            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] += sum;
        }
    }
}

/* Two loops exchanged.  The inner loop walks along rows of b and c: a line of 64 bytes serves eight steps. */
static void multiply_ikj(void)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            double factor = a[i][k];

            for (int j = 0; j < N; j++)
                c[i][j] += factor * b[k][j];
        }
    }
}

/* A bijective mixer: different keys, well spread. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    return x;
}

/* The slot that holds `key`, or the empty one where it belongs.  The first look at table[i] lands anywhere in 4 MiB: nothing
 * can have brought that line near.  The looks after it (i + 1, ...) are mostly on the same line. */
static struct slot *find_slot(uint64_t key)
{
    uint64_t i = mix(key) % SLOTS;

    while (table[i].key != 0 && table[i].key != key)
        i = (i + 1) % SLOTS;
    return &table[i];
}

static void fill_table(void)
{
    for (uint64_t n = 1; n <= KEYS; n++) {
        struct slot *slot = find_slot(2 * n);

        slot->key = 2 * n;
        slot->value = n;
    }
}

static uint64_t ask_table(void)
{
    uint64_t sum = 0;

    for (uint64_t n = 1; n <= ASKS; n++) {
        struct slot *slot = find_slot(n);

        if (slot->key == n) /* true every other time: a branch predictor with history learns that */
            sum += slot->value;
    }
    return sum;
}

static double sum_of_c(void)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += c[i][j];
    return sum;
}

int main(void)
{
    fill_matrices();
    multiply_ijk();
    multiply_ikj();
    fill_table();
    printf("matrix %.0f\n", sum_of_c());
    printf("table %llu\n", (unsigned long long)ask_table());
    return EXIT_SUCCESS;
}
