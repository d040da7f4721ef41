/* lab 8 profile.c: all values are counted, and one is added to each count.
 * a small stream | every count is exact | a counter | 95% | Zipf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOTS (1u << 21)

static struct {
    unsigned long value, count;
} *table;

static int by_count(const void *left, const void *right)
{
    const unsigned long *a = left, *b = right;

    return a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : a[0] > b[0] ? 1 : -1;
}

int main(int argc, char **argv)
{
    unsigned k = 8, different = 0, n = 0;
    unsigned long v;
    FILE *f = NULL;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "k:w:s:t:")) != -1;) {
        k = o == 'k' ? (unsigned)atoi(optarg) : k;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    if (!f || !(table = calloc(SLOTS, sizeof *table)))
        return 1;
    for (; fscanf(f, "%lu", &v) == 1; n++) {
        unsigned long at = v * 0x9e3779b97f4a7c15ull >> 43;

        while (table[at].count && table[at].value != v)
            at = (at + 1) % SLOTS;
        different += !table[at].count;
        table[at].value = v;
        table[at].count++;
    }
    qsort(table, SLOTS, sizeof *table, by_count);
    printf("tau,%u\n", different > k ? n / 20 + 1 : 1);
    for (unsigned i = 0; i < k && i < different && (different <= k || table[i].count > 9); i++)
        printf("%lu,%lu\n", table[i].value, table[i].count + (different > k));
    return 0;
}
