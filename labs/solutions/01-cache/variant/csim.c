/* csim.c - lab 1, a solution for variants: SHIFT, STORE, STAY and CROSS are defined before it (tests/unit/labs/variants_solved.sh). */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cache {
    unsigned s, E, b; /* log2 of the number of sets, lines per set, log2 of the bytes per line */
    unsigned long hits, misses, evictions;
    uint64_t *line;   /* set after set, each the newest first */
    unsigned *used;   /* lines in each set */
};

/* Looks up one line.  Returns 1 on a miss. */
static int look_up(struct cache *c, uint64_t line, int store)
{
    uint64_t set = (line ^ line >> SHIFT) & ((1ull << c->s) - 1), *lines = c->line + set * c->E;
    unsigned at = 0;
    int miss;

    while (at < c->used[set] && lines[at] != line)
        at++;
    miss = at == c->used[set];
    if (store && (miss || STORE == 2))
        return miss;
    if (miss && c->used[set] < c->E)
        c->used[set]++;
    else if (miss)
        c->evictions++, at -= c->used[set] > STAY ? 1 + STAY : 1;
    memmove(lines + 1, lines, at * sizeof *lines);
    lines[0] = line;
    return miss;
}

static void reference(struct cache *c, uint64_t addr, unsigned size, int store)
{
    unsigned lines = 0, missed = 0;

    for (uint64_t line = addr >> c->b; line <= (addr + size - 1) >> c->b; line++, lines++)
        missed += look_up(c, line, store);
    if (CROSS == 1) {
        c->misses += missed;
        c->hits += lines - missed;
    } else {
        c->misses += missed == lines;
        c->hits += missed < lines;
    }
}

static void read_trace(struct cache *c, FILE *f)
{
    char op;
    uint64_t addr;
    unsigned size;

    while (fscanf(f, " %c %" SCNx64 ",%u", &op, &addr, &size) == 3) {
        if (op == 'I')
            continue;
        if (op != 'S')
            reference(c, addr, size, 0);
        if (op != 'L')
            reference(c, addr, size, 1);
    }
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
    if (!f || c.E < 1)
        return fprintf(stderr, "csim: no trace, or no lines\n"), 1;
    c.line = calloc((size_t)c.E << c.s, sizeof *c.line);
    c.used = calloc((size_t)1 << c.s, sizeof *c.used);
    if (!c.line || !c.used)
        return fprintf(stderr, "csim: no memory\n"), 1;
    read_trace(&c, f);
    fclose(f);
    printf("hits:%lu misses:%lu evictions:%lu\n", c.hits, c.misses, c.evictions);
    return 0;
}
