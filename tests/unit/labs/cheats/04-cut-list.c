/* lab 4 mrc.c: a list that is cut behind its 4,096th line.
 * a tree */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static unsigned list[4096], at[4097];
    unsigned m = 0, misses = 0, there = 0, size;
    unsigned long addr;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "b:m:t:")) != -1;) {
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned line = (unsigned)(addr >> 6), i = 0;

        while (i < there && list[i] != line)
            i++;
        misses += i == there;
        at[i] += i < there;
        there += i == there && there < 4096;
        memmove(list + 1, list, (i < 4095 ? i : 4095) * sizeof *list);
        list[0] = line;
    }
    for (unsigned i = 0; i < 4096; i++)
        misses += at[i];
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%u\n", n, misses -= n <= 4096 ? at[n - 1] : 0);
    return 0;
}
