/* work.c - something to run: nested loops, a sort, a search, and a loop that does something else every third time.
 *
 *   cc -O1 -g -o work work.c
 */
#include <stdint.h>
#include <stdio.h>

#define N 1500
#define INNER 6

static volatile uint32_t numbers[N];

static void insertion_sort(int n)
{
    for (int i = 1; i < n; i++) {
        uint32_t x = numbers[i];
        int j = i;

        for (; j > 0 && numbers[j - 1] > x; j--)
            numbers[j] = numbers[j - 1];
        numbers[j] = x;
    }
}

static int search(uint32_t x)
{
    int low = 0, high = N;

    while (low < high) {
        int middle = (low + high) / 2;

        if (numbers[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int main(void)
{
    uint32_t x = 2463534242u, sum = 0; /* xorshift, Marsaglia 2003 */

    for (int i = 0; i < N; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        numbers[i] = x;
    }
    for (int round = 0; round < 2000; round++)
        for (int i = 0; i < INNER; i++)
            sum += numbers[(round + i) % N];
    insertion_sort(300);
    for (int i = 0; i < 4 * N; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        sum += i % 3 == 0 ? (uint32_t)search(x) : numbers[i % N];
    }
    printf("%u\n", sum);
    return 0;
}
