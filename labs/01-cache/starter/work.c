/* work.c - a program that prints its own trace: it sorts numbers, and names every load and store that the sorting
 * makes.
 *
 *   cc -O1 -o work work.c && ./work >work.trace
 */
#include <stdint.h>
#include <stdio.h>

#define N 4096
#define SEED 2463534242u

static int numbers[N] __attribute__((aligned(4096)));

static int load(int i) { return printf(" L %x,4\n", 0x10000 + 4 * i), numbers[i]; }
static void store(int i, int value) { printf(" S %x,4\n", 0x10000 + 4 * i), numbers[i] = value; }

static void swap(int i, int j)
{
    int a = load(i), b = load(j);

    store(i, b);
    store(j, a);
}

static void sort(int from, int to)
{
    int pivot, at = from;

    if (to - from < 2)
        return;
    swap(from + (to - from) / 2, to - 1);
    pivot = load(to - 1);
    for (int i = from; i < to - 1; i++)
        if (load(i) < pivot)
            swap(i, at++);
    swap(at, to - 1);
    sort(from, at);
    sort(at + 1, to);
}

int main(void)
{
    uint32_t x = SEED; /* xorshift, Marsaglia 2003 */

    for (int i = 0; i < N; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        numbers[i] = (int)(x >> 1);
    }
    sort(0, N);
    return 0;
}
