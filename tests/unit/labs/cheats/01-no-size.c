/* lab 1 csim.c: a direct-mapped cache that does not look at sizes.
 * ends with its line | two lines */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static unsigned long line[1 << 16], hits, misses, evictions, addr;
    unsigned s = 0, b = 0, size;
    FILE *f = NULL;
    char op;

    for (int o; (o = getopt(argc, argv, "s:E:b:t:")) != -1;) {
        s = o == 's' ? (unsigned)atoi(optarg) : s;
        b = o == 'b' ? (unsigned)atoi(optarg) : b;
        f = o == 't' ? fopen(optarg, "r") : f;
    }
    while (f && fscanf(f, " %c %lx,%u", &op, &addr, &size) == 3) {
        unsigned long *at = &line[(addr >> b) & ((1ul << s) - 1)], now = (addr >> b) + 1;

        if (op == 'I')
            continue;
        hits += (*at == now) + (op == 'M');
        misses += *at != now;
        evictions += *at && *at != now;
        *at = now;
    }
    return printf("hits:%lu misses:%lu evictions:%lu\n", hits, misses, evictions) < 0;
}
