/* tests/unit/sim/slow/by_pc.c - what each instruction's data references do in a D1, worked out slowly from a recording.
 *
 *   by_pc lru|writeback|nextline SIZE,WAYS,LINE TRACE
 *
 *   401020 12 3 4 5 6 7 0 0 0      pc, read misses, write misses, compulsory, capacity, conflict, writebacks, prefetches,
 *                                  useful and unused prefetches
 *
 * Nothing of the simulators is used but the reader of traces.  The caches are lists of lines with the time of their last use;
 * a miss is a capacity miss if at least as many other lines as the cache holds were used since this line was.  Of a
 * reference to several lines the one that was not used for longest decides its class.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/module.h"
#include "trace/trace.h"

#define LINES_MAX (1u << 16) /* different lines in a trace */
#define PCS_MAX (1u << 14)
#define NEVER UINT64_MAX

enum { READ, WRITE, COMPULSORY, CAPACITY, CONFLICT, WRITEBACKS, PREFETCHES, USEFUL, UNUSED, COUNTS };

struct way {
    uint64_t line, used; /* used 0: free */
    int dirty, guessed;
};

static struct { uint64_t line, used; } seen[LINES_MAX];
static struct { uint64_t pc, count[COUNTS]; } pcs[PCS_MAX];
static uint64_t nseen, npcs, now, *count;
static struct way *ways;
static unsigned nways, sets, line_size;
static int writes_back, prefetches;

static uint64_t *counts_of(uint64_t pc)
{
    uint64_t i = 0;

    while (i < npcs && pcs[i].pc != pc)
        i++;
    if (i == npcs && npcs++ == PCS_MAX)
        exit(3);
    pcs[i].pc = pc;
    return pcs[i].count;
}

/* How many other lines were used since this one was. */
static uint64_t distance(uint64_t line)
{
    uint64_t i = 0, others = 0;

    while (i < nseen && seen[i].line != line)
        i++;
    if (i == nseen) {
        if (nseen++ == LINES_MAX)
            exit(3);
        seen[i].line = line;
        seen[i].used = ++now;
        return NEVER;
    }
    for (uint64_t k = 0; k < nseen; k++)
        others += seen[k].used > seen[i].used;
    seen[i].used = ++now;
    return others;
}

static struct way *find(uint64_t line)
{
    struct way *set = ways + line % sets * nways;

    for (unsigned i = 0; i < nways; i++)
        if (set[i].used && set[i].line == line)
            return &set[i];
    return NULL;
}

static struct way *fill(uint64_t line)
{
    struct way *set = ways + line % sets * nways, *oldest = set;

    for (unsigned i = 1; i < nways; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    count[WRITEBACKS] += oldest->dirty;
    count[UNUSED] += oldest->guessed;
    *oldest = (struct way){line, ++now, 0, 0};
    return oldest;
}

/* 1 = the line was not there. */
static int touch(uint64_t line, int write)
{
    struct way *w = find(line);
    int miss = !w;

    if (miss)
        w = fill(line);
    w->used = ++now;
    w->dirty |= write && writes_back;
    count[USEFUL] += w->guessed;
    w->guessed = 0;
    return miss;
}

static void guess(uint64_t line)
{
    if (find(line))
        return;
    count[PREFETCHES]++;
    fill(line)->guessed = 1;
}

static void refer(const struct sim_ref *ref)
{
    uint64_t first = ref->addr / line_size, last = (ref->addr + ref->size - 1) / line_size, farthest = 0;
    int write = ref->kind == SIM_WRITE || ref->kind == SIM_MODIFY, miss = 0;

    for (uint64_t line = first; line <= last; line++) {
        uint64_t d = distance(line);

        farthest = d > farthest ? d : farthest;
        miss |= touch(line, write);
    }
    if (!miss)
        return;
    if (prefetches)
        guess(last + 1);
    count[ref->kind == SIM_WRITE ? WRITE : READ]++;
    count[farthest == NEVER ? COMPULSORY : farthest >= sets * nways ? CAPACITY : CONFLICT]++;
}

int main(int argc, char **argv)
{
    unsigned size;
    char why[256];
    struct qn_trace_reader *t = argc == 4 ? qn_trace_open(argv[3], why, sizeof why) : NULL;
    struct sim_ref ref;

    if (!t || sscanf(argv[2], "%u,%u,%u", &size, &nways, &line_size) != 3)
        return 2;
    writes_back = !strcmp(argv[1], "writeback");
    prefetches = !strcmp(argv[1], "nextline");
    sets = size / nways / line_size;
    ways = calloc(sets * nways, sizeof *ways);
    while (qn_trace_next(t, &ref) == 1) {
        if (ref.kind == SIM_REF_FETCH)
            count = counts_of(ref.addr);
        else if (ref.kind <= SIM_MODIFY)
            refer(&ref);
    }
    for (uint64_t i = 0; i < npcs; i++) {
        printf("%llx", (unsigned long long)pcs[i].pc);
        for (unsigned k = 0; k < COUNTS; k++)
            printf(" %llu", (unsigned long long)pcs[i].count[k]);
        putchar('\n');
    }
    qn_trace_close(t);
    return 0;
}
