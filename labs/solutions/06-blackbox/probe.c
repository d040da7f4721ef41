/* probe.c - lab 6, a solution.
 *
 *   line      the first power of two that is no longer brought in by reading address 0
 *   ways      how many lines, far apart and so all in one set, can be read twice without a miss the second time
 *   size      the least distance at which one line more than there are ways collides, times the ways
 *   policy    a random walk over a few lines of a set, beside the four policies
 *   history   the longest loop whose end is predicted
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"

#define FAR (1ull << 30)
#define WAYS_MAX 16
#define STEPS 400
#define LOOP_MAX 20
#define ROUNDS 40 /* of which the last 10 count */

static unsigned find_line(void)
{
    for (unsigned d = 1;; d *= 2) {
        box_reset();
        box_read(0);
        if (box_read(d))
            return d;
    }
}

/* n lines, `stride` apart, twice: misses the second time. */
static int misses_again(unsigned n, uint64_t stride)
{
    int misses = 0;

    box_reset();
    for (unsigned i = 0; i < n; i++)
        box_read(i * stride);
    for (unsigned i = 0; i < n; i++)
        misses += box_read(i * stride);
    return misses;
}

static unsigned find_ways(void)
{
    unsigned n = 1;

    while (!misses_again(n + 1, FAR))
        n++;
    return n;
}

static unsigned find_size(unsigned line, unsigned ways)
{
    uint64_t stride = line;

    while (!misses_again(ways + 1, stride))
        stride *= 2;
    return (unsigned)stride * ways;
}

/* ---- policies, of one set ---- */

struct set {
    int line[WAYS_MAX], used[WAYS_MAX], came[WAYS_MAX], recent[WAYS_MAX], tree[WAYS_MAX];
    int ways, count, now;
};

static void use(struct set *s, int way)
{
    int all = 1;

    s->used[way] = s->now;
    for (int node = s->ways + way; node > 1; node /= 2)
        s->tree[node / 2] = node % 2 == 0; /* 1: the right half is older */
    s->recent[way] = 1;
    for (int i = 0; i < s->ways; i++)
        all = all && s->recent[i];
    for (int i = 0; all && i < s->ways; i++)
        s->recent[i] = i == way;
}

static int victim(struct set *s, const char *policy)
{
    int way = 0, node = 1;

    if (!strcmp(policy, "plru")) {
        while (node < s->ways)
            node = 2 * node + s->tree[node];
        return node - s->ways;
    }
    if (!strcmp(policy, "nru")) {
        while (s->recent[way])
            way++;
        return way;
    }
    for (int i = 1; i < s->ways; i++)
        if (!strcmp(policy, "lru") ? s->used[i] < s->used[way] : s->came[i] < s->came[way])
            way = i;
    return way;
}

static int misses(struct set *s, const char *policy, int line)
{
    int way = 0, miss;

    s->now++;
    while (way < s->count && s->line[way] != line)
        way++;
    miss = way == s->count;
    if (miss && s->count < s->ways)
        s->count++;
    else if (miss)
        way = victim(s, policy);
    if (miss) {
        s->line[way] = line;
        s->came[way] = s->now;
        s->recent[way] = 0;
    }
    use(s, way);
    return miss;
}

static const char *find_policy(unsigned ways)
{
    static const char *const names[] = { "lru", "fifo", "plru", "nru" };
    static int lines[STEPS];
    static uint64_t addr[STEPS];
    static unsigned char answer[STEPS];

    for (int i = 0; i < STEPS; i++) {
        lines[i] = rand() % (int)(ways + 2);
        addr[i] = lines[i] * FAR;
    }
    box_reset();
    box_reads(addr, STEPS, answer);
    for (int p = 0; p < 4; p++) {
        struct set s = { .ways = (int)ways };
        int i = 0;

        while (i < STEPS && misses(&s, names[p], lines[i]) == answer[i])
            i++;
        if (i == STEPS)
            return names[p];
    }
    return "unknown";
}

/* ---- the predictor ---- */

static int learns_loop(int k)
{
    static unsigned char taken[LOOP_MAX * ROUNDS], wrong[LOOP_MAX * ROUNDS];
    int n = k * ROUNDS, mispredicts = 0;

    for (int i = 0; i < n; i++)
        taken[i] = i % k != k - 1;
    box_reset();
    box_branches(0x400000, taken, n, wrong);
    for (int i = n - 10 * k; i < n; i++)
        mispredicts += wrong[i];
    return mispredicts == 0;
}

/* A loop of k rounds is learned if k - 1 outcomes are known: only before the last round are all of them "taken". */
static unsigned find_history(void)
{
    int k = 2;

    while (k < LOOP_MAX && learns_loop(k))
        k++;
    return (unsigned)k - 2;
}

int main(void)
{
    unsigned line = find_line(), ways = find_ways();

    box_answer(find_size(line, ways), ways, line, find_policy(ways), find_history());
    return 0;
}
