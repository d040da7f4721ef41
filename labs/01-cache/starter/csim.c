/* csim.c - a cache simulator over traces.  What it has to do is in HANDOUT.md.
 *
 *   ./csim -s 4 -E 2 -b 4 -t small.trace
 *   hits:4 misses:5 evictions:2
 *
 * It reads its options and the trace.  The cache is missing.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct cache {
    unsigned s, E, b; /* log2 of the number of sets, lines per set, log2 of the bytes per line */
    unsigned long hits, misses, evictions;
    /* TODO: the lines */
};

/* One load or store of `size` bytes at `addr`. */
static void reference(struct cache *c, uint64_t addr, unsigned size)
{
    (void)c, (void)addr, (void)size; /* TODO */
}

static void read_trace(struct cache *c, FILE *f)
{
    char op;
    uint64_t addr;
    unsigned size;

    while (fscanf(f, " %c %" SCNx64 ",%u", &op, &addr, &size) == 3)
        reference(c, addr, size); /* TODO: what op says */
}

int main(int argc, char **argv)
{
    struct cache c = { 0 };
    const char *trace = NULL;
    FILE *f;

    for (int o; (o = getopt(argc, argv, "s:E:b:t:")) != -1;) {
        switch (o) {
        case 's': c.s = (unsigned)atoi(optarg); break;
        case 'E': c.E = (unsigned)atoi(optarg); break;
        case 'b': c.b = (unsigned)atoi(optarg); break;
        case 't': trace = optarg; break;
        default: return 2;
        }
    }
    f = trace ? fopen(trace, "r") : NULL;
    if (!f)
        return fprintf(stderr, "csim: no trace\n"), 1;
    read_trace(&c, f);
    fclose(f);
    printf("hits:%lu misses:%lu evictions:%lu\n", c.hits, c.misses, c.evictions);
    return 0;
}
