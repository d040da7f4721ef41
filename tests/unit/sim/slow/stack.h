/* analysis/stack.h - stack distances in one pass: how many other lines were referenced since this line was?
 *
 *   references A B C A:  distance of the last = 2.  A fully associative LRU cache of n lines hits if the distance is < n.
 *
 * A Fenwick tree over time has a 1 at the latest reference of each line.  The distance of a line is the sum of the times after its own.
 * When the tree has no times left, the lines are renumbered in order.
 * Source: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970; the tree:
 * B. T. Bennett, V. J. Kruskal, LRU stack processing, IBM J. Res. Dev. 19(4), 1975.
 */
#ifndef QN_ANALYSIS_STACK_H
#define QN_ANALYSIS_STACK_H

#include "sim/module.h"

#define STACK_LINES (1u << 22)   /* different lines at most */
#define STACK_TIMES (1u << 24)   /* times, more than twice the lines */
#define STACK_FIRST UINT64_MAX   /* distance of a first reference */
#define STACK_BUCKETS (1u << 21)

struct stack {
    uint32_t *tree;              /* Fenwick tree, 1 .. STACK_TIMES */
    uint64_t *line;              /* per record */
    uint32_t *time, *next;       /* per record: latest reference; next + 1 in the bucket */
    uint32_t *bucket, *at_time;  /* record + 1; at_time: which record was referenced then, + 1 */
    uint64_t lines;
    uint32_t now;
    uint64_t record;             /* of the line touched last */
};

static void stack_init(struct stack *s)
{
    s->tree = sim_alloc((STACK_TIMES + 1ull) * 4);
    s->at_time = sim_alloc((STACK_TIMES + 1ull) * 4);
    s->line = sim_alloc(STACK_LINES * 8ull);
    s->time = sim_alloc(STACK_LINES * 4ull);
    s->next = sim_alloc(STACK_LINES * 4ull);
    s->bucket = sim_alloc(STACK_BUCKETS * 4ull);
}

static inline void stack_add(struct stack *s, uint32_t time, uint32_t n)
{
    for (; time <= STACK_TIMES; time += time & -time)
        s->tree[time] += n;
}

static inline uint32_t stack_sum(const struct stack *s, uint32_t time)
{
    uint32_t sum = 0;

    for (; time; time -= time & -time)
        sum += s->tree[time];
    return sum;
}

/* Renumbers the lines from 1 on, in their order. */
static void stack_renumber(struct stack *s)
{
    uint32_t now = 0;

    for (uint32_t t = 1; t <= STACK_TIMES; t++) {
        uint32_t r = s->at_time[t];

        s->tree[t] = 0;
        s->at_time[t] = 0;
        if (r) {
            s->time[r - 1] = ++now;
            s->at_time[now] = r;
        }
    }
    for (uint32_t t = 1; t <= now; t++)
        stack_add(s, t, 1);
    s->now = now;
}

static uint64_t stack_find(struct stack *s, uint64_t line, bool *found)
{
    uint32_t b = (uint32_t)(line * 0x9e3779b97f4a7c15ull >> 43), i;

    for (i = s->bucket[b]; i; i = s->next[i - 1])
        if (s->line[i - 1] == line)
            break;
    *found = i != 0;
    if (i)
        return i - 1;
    if (s->lines == STACK_LINES)
        sim_fail(sim.slot, "stack", "stack_touch", 0, "more different lines than there is room for");
    s->line[s->lines] = line;
    s->next[s->lines] = s->bucket[b];
    s->bucket[b] = (uint32_t)++s->lines;
    return s->lines - 1;
}

static uint64_t stack_touch(struct stack *s, uint64_t line)
{
    uint64_t distance = STACK_FIRST, r;
    bool found;

    if (s->now == STACK_TIMES)
        stack_renumber(s);
    r = stack_find(s, line, &found);
    s->record = r;
    if (found) {
        distance = stack_sum(s, s->now) - stack_sum(s, s->time[r]);
        stack_add(s, s->time[r], (uint32_t)-1);
        s->at_time[s->time[r]] = 0;
    }
    s->time[r] = ++s->now;
    s->at_time[s->now] = (uint32_t)r + 1;
    stack_add(s, s->now, 1);
    return distance;
}

#endif
