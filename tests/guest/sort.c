/* sort.c - insertion sort, quicksort and heapsort of the same numbers: branches that depend on data. */
#include "guest.h"

#define COUNT 3000
#define SMALL 12 /* quicksort leaves runs this short to insertion sort */

static uint32_t numbers[COUNT];

static NOINLINE void fill(uint64_t seed)
{
    for (unsigned i = 0; i < COUNT; i++)
        numbers[i] = guest_random(&seed);
}

static NOINLINE void insertion_sort(uint32_t *a, long n)
{
    for (long i = 1; i < n; i++) {
        uint32_t x = a[i];
        long j = i;

        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

static NOINLINE void quick_sort(uint32_t *a, long n)
{
    if (n <= SMALL) {
        insertion_sort(a, n);
        return;
    }
    uint32_t pivot = a[n / 2];
    long i = 0, j = n - 1;

    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            uint32_t t = a[i];

            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quick_sort(a, j + 1);
    quick_sort(a + i, n - i);
}

static void sift_down(uint32_t *a, long root, long n)
{
    for (long child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        uint32_t t = a[root];

        a[root] = a[child];
        a[child] = t;
    }
}

static NOINLINE void heap_sort(uint32_t *a, long n)
{
    for (long i = n / 2; i-- > 0;)
        sift_down(a, i, n);
    while (--n > 0) {
        uint32_t t = a[0];

        a[0] = a[n];
        a[n] = t;
        sift_down(a, 0, n);
    }
}

static NOINLINE unsigned disorder(void)
{
    unsigned wrong = 0;

    for (unsigned i = 1; i < COUNT; i++)
        wrong += numbers[i - 1] > numbers[i];
    return wrong;
}

static int guest_main(void)
{
    unsigned wrong = 0;

    fill(1);
    quick_sort(numbers, COUNT);
    wrong += disorder();
    fill(2);
    heap_sort(numbers, COUNT);
    wrong += disorder();
    fill(3);
    insertion_sort(numbers, 500);
    wrong += numbers[0] > numbers[499];
    insertion_sort(numbers, 500); /* sorted already: the easy case for the predictor */
    return EXPECT(wrong == 0);
}
