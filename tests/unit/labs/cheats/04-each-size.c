/* lab 4 mrc.c: a simulation for each size, each with a list in an array of lines.
 * one pass | a tree */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINES (1u << 17)

static unsigned before[LINES], after[LINES], *trace;

int main(int argc, char **argv)
{
    unsigned m = 0, refs = 0, size;
    unsigned long addr;
    FILE *f = NULL;
    char op;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "b:m:t:")) != -1;) {
        m = o == 'm' ? (unsigned)atoi(optarg) : m;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    trace = malloc(sizeof *trace << 20);
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3)
        trace[refs++] = (unsigned)(addr >> 6) % (LINES - 1) + 1;
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++) {
        unsigned there = 0, misses = 0;

        for (unsigned i = 0; i < LINES; i++)
            before[i] = after[i] = 0;
        for (unsigned i = 0; i < refs; i++) {
            unsigned l = trace[i];

            if (after[l] || before[l] || after[0] == l) {
                after[before[l]] = after[l];
                before[after[l]] = before[l];
            } else {
                misses++;
                if (there++ == n) {
                    unsigned last = before[0];

                    there--;
                    before[0] = before[last];
                    after[before[last]] = 0;
                    before[last] = after[last] = 0;
                }
            }
            after[l] = after[0];
            before[after[0]] = l;
            before[l] = 0;
            after[0] = l;
        }
        printf("%u,%u\n", n, misses);
    }
    return 0;
}
