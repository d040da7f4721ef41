/* mrc.c - lab 4, a solution for variants: AGE, SHIFT and FULL are defined before it.
 *
 * Curve: each line has a mark at the time of its last use; the stack distance is the number of marks behind it,
 * counted by a Fenwick tree over time.  Classes: the cache, a fully associative one beside it, and who was there
 * before.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMES (1u << 20)  /* references, at most */
#define SLOTS (1u << 21)  /* of a hash table of lines */

static unsigned s, E, b, m;

static struct {
    uint64_t line; /* + 1; 0: free */
    unsigned time; /* of the last use, from 1 */
} seen[SLOTS];
static unsigned marks[TIMES + 1], now;
static unsigned long *with_distance, misses_always;

static size_t slot_of(uint64_t line)
{
    size_t slot = line * 0x9e3779b97f4a7c15 >> 43;

    while (seen[slot].line && seen[slot].line != line + 1)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static void mark(unsigned time, int by)
{
    for (; time <= TIMES; time += time & -time)
        marks[time] += (unsigned)by;
}

static unsigned marks_until(unsigned time)
{
    unsigned sum = 0;

    for (; time > 0; time -= time & -time)
        sum += marks[time];
    return sum;
}

/* A reference to the line with this number: the least cache that has it. */
static void reference(uint64_t line, int store)
{
    size_t slot = slot_of(line);
    unsigned last = seen[slot].time, least, age;

    if (++now > TIMES)
        exit(3);
    if (!last) {
        misses_always++;
    } else {
        least = 1 + marks_until(now - 1) - marks_until(last);
        age = (now - last + AGE - 1) / AGE;
        least = age > least ? age : least;
        with_distance[least - 1 < m ? least - 1 : m]++;
    }
    if (store)
        return;
    if (last)
        mark(last, -1);
    mark(now, 1);
    seen[slot].line = line + 1;
    seen[slot].time = now;
}

static void print_curve(void)
{
    unsigned long misses = misses_always;

    for (unsigned d = 0; d <= m; d++)
        misses += with_distance[d];
    puts("lines,misses");
    for (unsigned n = 1; n <= m; n++)
        printf("%u,%lu\n", n, misses -= with_distance[n - 1]);
}

/* ---- classes ---- */

struct lru {
    uint64_t *line;
    unsigned *used, sets, ways;
};

static struct lru cache, full;
static unsigned long compulsory, capacity, conflict;

static void make(struct lru *c, unsigned sets, unsigned ways)
{
    c->sets = sets;
    c->ways = ways;
    c->line = calloc((size_t)sets * ways, sizeof *c->line);
    c->used = calloc(sets, sizeof *c->used);
}

static int hits(struct lru *c, uint64_t line)
{
    uint64_t set = line % c->sets, *lines = c->line + set * c->ways;
    unsigned at = 0;
    int hit;

    while (at < c->used[set] && lines[at] != line)
        at++;
    hit = at < c->used[set];
    if (!hit && c->used[set] < c->ways)
        c->used[set]++;
    else if (!hit)
        at--;
    memmove(lines + 1, lines, at * sizeof *lines);
    lines[0] = line;
    return hit;
}

static void classify(uint64_t line)
{
    size_t slot = slot_of(line);
    int first = !seen[slot].line, hit = hits(&cache, line ^ line >> SHIFT), full_hit = hits(&full, line);

    seen[slot].line = line + 1;
    if (hit)
        return;
    compulsory += first;
    conflict += full_hit;
    capacity += !first && !full_hit;
}

static void print_classes(void)
{
    printf("compulsory:%lu capacity:%lu conflict:%lu\n", compulsory, capacity, conflict);
}

int main(int argc, char **argv)
{
    int is_curve = argc > 1 && !strcmp(argv[1], "curve");
    const char *trace = NULL;
    uint64_t addr;
    char op;
    FILE *f;

    optind = 2;
    for (int o; (o = getopt(argc, argv, "s:E:b:m:t:")) != -1;) {
        switch (o) {
        case 's': s = (unsigned)atoi(optarg); break;
        case 'E': E = (unsigned)atoi(optarg); break;
        case 'b': b = (unsigned)atoi(optarg); break;
        case 'm': m = (unsigned)atoi(optarg); break;
        case 't': trace = optarg; break;
        default: return 2;
        }
    }
    f = trace ? fopen(trace, "r") : NULL;
    if (!f)
        return fprintf(stderr, "mrc: no trace\n"), 1;
    with_distance = calloc(m + 1, sizeof *with_distance);
    if (!is_curve) {
        make(&cache, 1u << s, E);
        make(&full, 1, FULL * E << s);
    }
    while (fscanf(f, " %c %" SCNx64 ",%*u", &op, &addr) == 2) {
        if (is_curve)
            reference(addr >> b, op == 'S');
        else
            classify(addr >> b);
    }
    fclose(f);
    if (is_curve)
        print_curve();
    else
        print_classes();
    return 0;
}
