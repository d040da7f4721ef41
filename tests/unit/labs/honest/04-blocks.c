/* lab 4 mrc.c: no tree but counts of marks in blocks, and in blocks of blocks.
 * curve | first use | used again | lines, not | one pass | a tree */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMES (1u << 18)
#define SIDE 64u

static unsigned *last; /* of each line, + 1 */
static unsigned char mark[TIMES];
static unsigned block[TIMES / SIDE], large[TIMES / SIDE / SIDE], now;

static void put(unsigned time, int by)
{
    mark[time] = (unsigned char)(mark[time] + by);
    block[time / SIDE] += (unsigned)by;
    large[time / SIDE / SIDE] += (unsigned)by;
}

/* Marks from a time on. */
static unsigned from(unsigned time)
{
    unsigned n = 0;

    for (; time % SIDE && time < now; time++)
        n += mark[time];
    for (; time / SIDE % SIDE && time < now; time += SIDE)
        n += block[time / SIDE];
    for (; time < now; time += SIDE * SIDE)
        n += large[time / SIDE / SIDE];
    return n;
}

int main(int argc, char **argv)
{
    unsigned b = 0, m = 0, size;
    unsigned long addr, misses = 0, *at;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "b:m:t:")) != -1;) {
        b = o == 'b' ? (unsigned)atoi(optarg) : b;
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    at = calloc(m + 1, sizeof *at);
    last = calloc(1u << 22, sizeof *last);
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned *time = &last[(addr >> b) % (1u << 22)], distance;

        if (*time) {
            distance = from(*time);
            at[distance < m ? distance : m]++;
            put(*time - 1, -1);
        } else {
            misses++;
        }
        put(now, 1);
        *time = ++now;
    }
    for (unsigned n = 0; n <= m; n++)
        misses += at[n];
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%lu\n", n, misses -= at[n - 1]);
    return 0;
}
