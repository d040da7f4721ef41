/* lab 4 mrc.c: a right curve in one pass, of a list in an array, for which all that could ever be needed is asked for at once.
 * one pass | a tree */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long list[1u << 24];

int main(int argc, char **argv)
{
    unsigned b = 0, m = 0, there = 0, size, misses = 0, *at;
    unsigned long addr;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "b:m:t:")) != -1;) {
        b = o == 'b' ? (unsigned)atoi(optarg) : b;
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    at = calloc(m + 1, sizeof *at);
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned i = 0;

        while (i < there && list[i] != addr >> b)
            i++;
        if (i < there)
            at[i < m ? i : m]++;
        else
            misses++, there++;
        memmove(list + 1, list, i * sizeof *list);
        list[0] = addr >> b;
    }
    for (unsigned n = 0; n <= m; n++)
        misses += at[n];
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%u\n", n, misses -= at[n - 1]);
    return 0;
}
