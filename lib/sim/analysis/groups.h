/* analysis/groups.h - fully associative LRU caches of several sizes: from the stream of records (module.h).
 *
 *   groups_init(&g, config->line_bits)
 *   groups_add(&g, n)                 a size of n lines; the smallest first
 *   i = groups_take(&g, line)         the line becomes recent; i: of these caches, the first i miss it; GROUPS_FIRST: it was never used before
 *   groups_push(&g, line)             SIM_LEFT: the line is recent no longer; it was used later than all others that are not
 *
 * There are never more recent lines than the smallest cache has.
 *
 * All lines in the order of their last use, the latest first: the recent lines, then the others.  Each line that is pushed gets the next
 * number, and a bit for each number says whether its line is still among the others.  For each size a mark has the number of the last
 * line that a cache of this size holds.  So a line misses the sizes whose marks are above its number.  When it becomes recent, the last line of
 * these caches leaves them, so each of their marks moves to the next bit.  When a line is pushed, nothing but its place changes.
 *
 * When the numbers run out, the lines are renumbered.  There are at least GROUPS_SPARE times as many numbers as lines, so this is rare.
 * Memory: by_line.h for the lines of the program, and 1.5 to 3 bytes for each of them.
 * Source: Y. H. Kim, M. D. Hill, D. A. Wood, Implementing stack simulation for highly-associative memories, SIGMETRICS 1991 (the marks).
 */
#ifndef QN_SIM_ANALYSIS_GROUPS_H
#define QN_SIM_ANALYSIS_GROUPS_H

#include "sim/analysis/by_line.h"

#define GROUPS_MAX 32u           /* sizes */
#define GROUPS_FIRST GROUPS_MAX
#define GROUPS_NUMBERS (1u << 20) /* to begin with */
#define GROUPS_NUMBERS_MAX (1u << 31)
#define GROUPS_SPARE 8u

struct groups {
    struct by_line at; /* number of the line; 0: it is recent, or was never used */
    uint64_t *bits;
    uint32_t *below;   /* while lines are renumbered, the number of lines before each word */
    uint32_t numbers, now, lines, others; /* now: the next number; lines: all that were used; others: those that are not recent */
    uint32_t n, size[GROUPS_MAX]; /* lines */
    uint32_t mark[GROUPS_MAX + 1]; /* by size; 0: a cache of this size holds all lines.  The last one is 0 */
};

static void groups_make_room(struct groups *g, uint32_t numbers)
{
    g->numbers = numbers;
    g->bits = sim_alloc((numbers / 64 + 1ull) * sizeof *g->bits);
    g->below = sim_alloc((numbers / 64 + 1ull) * sizeof *g->below);
}

static void groups_init(struct groups *g, uint32_t line_bits)
{
    *g = (struct groups){.now = 1};
    by_line_init(&g->at, line_bits);
    groups_make_room(g, GROUPS_NUMBERS);
}

static inline void groups_add(struct groups *g, uint32_t lines) { g->size[g->n++] = lines; }

/* The number of 1 bits: H. S. Warren, Hacker's Delight, 2002. */
static inline uint32_t groups_ones(uint64_t w)
{
    w -= w >> 1 & 0x5555555555555555ull;
    w = (w & 0x3333333333333333ull) + (w >> 2 & 0x3333333333333333ull);
    return (uint32_t)(((w + (w >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56);
}

/* The number of lines with smaller numbers, and one. */
static inline uint32_t groups_renumbered(const struct groups *g, uint32_t number)
{
    return g->below[number / 64] + groups_ones(g->bits[number / 64] & ((1ull << number % 64) - 1)) + 1;
}

static void groups_renumber_lines(struct groups *g)
{
    for (uint32_t i = 0; i < 1u << g->at.bits; i++) {
        const struct by_line_group *together = &g->at.table[i];

        for (uint32_t k = 0; together->number && k < BY_LINE_TOGETHER; k++)
            if (together->of[k])
                together->of[k] = groups_renumbered(g, together->of[k]);
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (g->mark[i])
            g->mark[i] = groups_renumbered(g, g->mark[i]);
}

static __attribute__((noinline)) void groups_renumber(struct groups *g)
{
    uint32_t sum = 0;

    for (uint32_t word = 0; word <= g->numbers / 64; word++) {
        g->below[word] = sum;
        sum += groups_ones(g->bits[word]);
    }
    groups_renumber_lines(g);
    if (g->others > g->numbers / GROUPS_SPARE) {
        if (g->numbers == GROUPS_NUMBERS_MAX)
            sim_fail(sim.slot, "groups", "groups_push", 0, "more different lines than there is room for");
        groups_make_room(g, 2 * g->numbers);
    }
    g->now = g->others + 1;
    for (uint32_t word = 0; word <= g->numbers / 64; word++)
        g->bits[word] = word < g->now / 64 ? ~0ull : word == g->now / 64 ? (1ull << g->now % 64) - 1 : 0;
    g->bits[0] &= ~1ull; /* there is no number 0 */
}

/* The first number from this one on that a line has; if there is none, that of the line that is pushed next. */
static inline uint32_t groups_next(const struct groups *g, uint32_t from)
{
    uint32_t word = from / 64;
    uint64_t ones = g->bits[word] & ~0ull << from % 64;

    while (QN_UNLIKELY(!ones)) {
        if (++word > g->now / 64)
            return g->now;
        ones = g->bits[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(ones);
}

/* A line that was never used before: each cache that is full loses its last line. */
static __attribute__((noinline)) unsigned groups_take_first(struct groups *g)
{
    g->lines++;
    for (uint32_t i = 0; i < g->n && g->lines >= g->size[i]; i++)
        g->mark[i] = groups_next(g, g->mark[i] + 1);
    return GROUPS_FIRST;
}

static inline unsigned groups_take(struct groups *g, uint64_t line)
{
    uint32_t *at = by_line(&g->at, line), number = *at;
    unsigned i = 0, misses;

    if (QN_UNLIKELY(!number))
        return groups_take_first(g);
    *at = 0;
    g->bits[number / 64] &= ~(1ull << number % 64);
    g->others--;
    for (; g->mark[i] > number; i++)
        g->mark[i] = groups_next(g, g->mark[i] + 1);
    misses = i;
    if (g->mark[i] == number) /* the last line that this cache holds */
        g->mark[i] = groups_next(g, number + 1);
    return misses;
}

static inline void groups_push(struct groups *g, uint64_t line)
{
    if (QN_UNLIKELY(g->now == g->numbers))
        groups_renumber(g);
    *by_line(&g->at, line) = g->now;
    g->bits[g->now / 64] |= 1ull << g->now % 64;
    g->others++;
    g->now++;
}

#endif
