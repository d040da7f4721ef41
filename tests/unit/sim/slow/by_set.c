/* tests/unit/sim/slow/by_set.c - misses by set in each interval of N instructions, from a recording, with caches of lists.
 *
 *   by_set N TRACE SIZE,WAYS,LINE SIZE,WAYS,LINE SIZE,WAYS,LINE      I1, D1, LL
 *
 *   D1 1 5 12      cache, interval, the first of the sets that are counted together, misses of data: rows with any
 *
 * The program must have no repeated string instructions.  A reference to several lines misses if one of them does; its set is that of its first
 * byte.  Of more than 256 sets those that share the upper bits of their number are counted together, in 256 groups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/module.h"
#include "trace/trace.h"

struct cache {
    unsigned long long size, ways, line, sets, *lines; /* by set, the one used last first; 0: none, else number + 1 */
    unsigned long long *misses;                         /* by set */
};

static void open_cache(struct cache *c, const char *text)
{
    if (sscanf(text, "%llu,%llu,%llu", &c->size, &c->ways, &c->line) != 3)
        exit(2);
    c->sets = c->size / c->ways / c->line;
    c->lines = calloc(c->sets * c->ways, sizeof *c->lines);
    c->misses = calloc(c->sets, sizeof *c->misses);
}

static int touch(struct cache *c, unsigned long long line)
{
    unsigned long long *list = c->lines + line % c->sets * c->ways, at = 0;
    int miss;

    while (at < c->ways - 1 && list[at] != line + 1)
        at++;
    miss = list[at] != line + 1;
    memmove(list + 1, list, at * sizeof *list);
    list[0] = line + 1;
    return miss;
}

static int refer(struct cache *c, unsigned long long addr, unsigned size)
{
    int miss = 0;

    for (unsigned long long line = addr / c->line; line <= (addr + size - 1) / c->line; line++)
        miss |= touch(c, line);
    return miss;
}

static void print(struct cache *c, const char *name, int interval)
{
    unsigned long long together = c->sets > 256 ? c->sets / 256 : 1;

    for (unsigned long long set = 0; set < c->sets; set += together) {
        unsigned long long sum = 0;

        for (unsigned long long i = set; i < set + together; i++)
            sum += c->misses[i];
        if (sum)
            printf("%s %d %llu %llu\n", name, interval, set, sum);
    }
    memset(c->misses, 0, c->sets * sizeof *c->misses);
}

int main(int argc, char **argv)
{
    char why[256];
    struct qn_trace_reader *t = argc == 6 ? qn_trace_open(argv[2], why, sizeof why) : NULL;
    unsigned long long n = t ? strtoull(argv[1], NULL, 10) : 0, done = 0;
    struct cache I1, D1, LL;
    struct sim_ref ref;
    int interval = 1;

    if (!n)
        return 2;
    open_cache(&I1, argv[3]);
    open_cache(&D1, argv[4]);
    open_cache(&LL, argv[5]);
    while (qn_trace_next(t, &ref) == 1) {
        if (ref.kind == SIM_REF_FETCH && done++ == n) {
            print(&D1, "D1", interval);
            print(&LL, "LL", interval++);
            done = 1;
        }
        if (ref.kind == SIM_REF_FETCH && refer(&I1, ref.addr, ref.size))
            refer(&LL, ref.addr, ref.size);
        if (ref.kind > SIM_MODIFY || !refer(&D1, ref.addr, ref.size))
            continue;
        D1.misses[ref.addr / D1.line % D1.sets]++;
        LL.misses[ref.addr / LL.line % LL.sets] += (unsigned)refer(&LL, ref.addr, ref.size);
    }
    print(&D1, "D1", interval);
    print(&LL, "LL", interval);
    return 0;
}
