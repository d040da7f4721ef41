/* analysis/recency.h - would a fully associative cache of the same size have had the line?  Answered when lines come into the D1, from the times
 * at which lines were last used; hits are never looked at (doc/reference.md, "Who looks on").
 *
 *   recency_init(&r, config)
 *   recency_line(&r, line)         in analysis_line: the distance, that is how many other lines were used since this one was:
 *                                  exact below the lines of the cache, if the reference is to several lines; else 0 stands for all
 *                                  of these; RECENCY_FAR for all above, RECENCY_FIRST if the line was never used before
 *
 * Lines that have left keep the time of their last use, 64 neighbours together: 8 bytes for each of them, and at most 64 for all in a
 * table.  The times of those that a fully associative cache may still have, no more than it has lines, are sorted (`away`).
 * Source: the distance as in stack.h; that resident lines have theirs in their stamps, and that only misses change the rest, is worked out in
 * doc/reference.md.
 */
#ifndef QN_SIM_ANALYSIS_RECENCY_H
#define QN_SIM_ANALYSIS_RECENCY_H

#include "sim/module.h"

#define QN_RECENCY_SELDOM __attribute__((noinline))
#define RECENCY_FIRST UINT64_MAX
#define RECENCY_FAR (UINT64_MAX - 1)
#define RECENCY_TOGETHER_BITS 6
#define RECENCY_TOGETHER (1u << RECENCY_TOGETHER_BITS)
#define RECENCY_BITS_FIRST 10
#define RECENCY_CHUNK 256u /* groups of lines that are asked for at a time */
#define RECENCY_PLAN 64u

struct recency_group {
    uint64_t number, *used;  /* address of its first byte / bytes of the group, + 1; by line: time of the last use, 0 = never left */
};

struct recency {
    struct recency_group *table;
    uint64_t *pool;          /* times for groups to come */
    uint32_t bits, groups, left;
    uint32_t lines, line_bits; /* of the cache; of an address in a line */
    uint64_t *away, *first, *end; /* an array of four times the lines; from first to before end times grow */
    uint64_t hopeless;       /* what was last used then or before is farther away than the cache has lines */
    uint64_t plan[RECENCY_PLAN + 1]; /* what `hopeless` will be at least, so many misses of the fully associative cache after the last look */
    uint32_t misses;         /* since then */
};

static void recency_init(struct recency *r, const struct sim_config *c)
{
    *r = (struct recency){.bits = RECENCY_BITS_FIRST, .lines = c->size / c->line, .line_bits = c->line_bits};
    r->table = sim_alloc((1ull << r->bits) * sizeof *r->table);
    r->first = r->end = r->away = sim_alloc(4ull * (r->lines + 1) * sizeof *r->away);
}

/* ---- lines that have left ---- */

static inline struct recency_group *recency_place(const struct recency *r, uint64_t number)
{
    uint64_t at = number * 0x9e3779b97f4a7c15ull >> (64 - r->bits);

    while (r->table[at].number && r->table[at].number != number)
        at = (at + 1) & ((1u << r->bits) - 1);
    return &r->table[at];
}

static void recency_grow(struct recency *r)
{
    struct recency_group *old = r->table;
    uint32_t n = 1u << r->bits++;

    r->table = sim_alloc((1ull << r->bits) * sizeof *r->table);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].number)
            *recency_place(r, old[i].number) = old[i];
}

static __attribute__((noinline)) struct recency_group *recency_add(struct recency *r, uint64_t number)
{
    struct recency_group *g;

    if (r->groups++ >= (1u << r->bits) / 2)
        recency_grow(r);
    if (!r->left--) {
        r->left = RECENCY_CHUNK - 1;
        r->pool = sim_alloc((uint64_t)RECENCY_CHUNK * RECENCY_TOGETHER * sizeof *r->pool);
    }
    g = recency_place(r, number);
    *g = (struct recency_group){number, r->pool};
    r->pool += RECENCY_TOGETHER;
    return g;
}

/* Where the time of its last use is, for when it is not in the cache. */
static inline uint64_t *recency_of(struct recency *r, uint64_t address)
{
    uint64_t line = address >> r->line_bits, number = (line >> RECENCY_TOGETHER_BITS) + 1;
    struct recency_group *g = recency_place(r, number);

    if (!g->number)
        g = recency_add(r, number);
    return &g->used[line & (RECENCY_TOGETHER - 1)];
}

/* ---- those that a fully associative cache may still have ---- */

/* The first that is not older than this time. */
static inline uint64_t *recency_find(const struct recency *r, uint64_t time)
{
    uint64_t *at = r->first, n = (uint64_t)(r->end - at);

    while (n) {
        uint64_t half = n / 2;
        bool below = at[half] < time;

        at = below ? at + half + 1 : at;
        n = below ? n - half - 1 : half;
    }
    return at;
}

/* `out` is no longer away; `in` is, and is kept if there is any hope for it.  0: nothing. */
static inline void recency_exchange(struct recency *r, uint64_t out, uint64_t in)
{
    bool keeps = in > r->hopeless;
    uint64_t *gap = out > r->hopeless ? recency_find(r, out) : r->end;

    if (gap == r->end && !keeps)
        return;
    r->end += gap == r->end;
    for (; gap + 1 < r->end && (!keeps || gap[1] < in); gap++)
        gap[0] = gap[1];
    for (; keeps && gap > r->first && gap[-1] > in; gap--)
        gap[0] = gap[-1];
    if (keeps)
        *gap = in;
    else
        r->end--;
}

static inline void recency_make_room(struct recency *r)
{
    uint64_t n;

    if ((uint64_t)(r->end - r->first) > r->lines) /* so many were used after this one */
        r->hopeless = *r->first++;
    if (r->end < r->away + 4ull * r->lines)
        return;
    n = (uint64_t)(r->end - r->first);
    for (uint64_t i = 0; i < n; i++)
        r->away[i] = r->first[i];
    r->first = r->away;
    r->end = r->away + n;
}

/* ---- what a fully associative cache has given up ----
 *
 * Its oldest line only grows younger, at each of its misses at least: the line that comes in is later than any.  So when the places of
 * the D1 have been looked through once, it is known below which time nothing will be left after the next miss, the one after that ... Hits
 * that nobody is told of can only make it more. */

static inline void recency_give_up(struct recency *r, uint64_t time)
{
    r->hopeless = time;
    while (r->first < r->end && *r->first <= time)
        r->first++;
}

/* A line has come in that the fully associative cache did not have, either. */
static inline void recency_missed(struct recency *r)
{
    if (r->misses < RECENCY_PLAN && r->plan[++r->misses] > r->hopeless)
        recency_give_up(r, r->plan[r->misses]);
}

/* Of the lines that are away, one is given up if no fewer are later than places of the D1 are not.  Looks at the oldest. */
static QN_RECENCY_SELDOM void recency_look(struct recency *r)
{
    uint64_t older[RECENCY_PLAN];
    uint32_t n, seen = 0, base = sim_oldest_places(r->hopeless, older, RECENCY_PLAN, &n);
    uint64_t time = r->hopeless;
    uint32_t after = 0;

    r->misses = 0;
    for (uint64_t *at = r->first; at < r->end; at++) {
        uint64_t later = (uint64_t)(r->end - at) - 1, places;

        while (seen < n && older[seen] <= *at)
            seen++;
        if (seen == n && n == RECENCY_PLAN) /* there are more places than were told */
            break;
        places = base + seen;
        for (; after <= RECENCY_PLAN && later + after < places; after++)
            r->plan[after] = time;
        if (after > RECENCY_PLAN)
            break;
        time = *at;
    }
    for (; after <= RECENCY_PLAN; after++)
        r->plan[after] = time;
    if (r->plan[0] > r->hopeless)
        recency_give_up(r, r->plan[0]);
}

/* ---- all ---- */

static inline uint64_t recency_distance(struct recency *r, uint64_t used, bool exact)
{
    uint64_t later;
    uint32_t older;

    if (used <= r->hopeless) {
        recency_missed(r);
        return RECENCY_FAR;
    }
    later = (uint64_t)(r->end - recency_find(r, used + 1));
    if (!later && !exact)
        return 0;
    older = later >= r->lines ? 0 : sim_older_places(used, exact ? UINT32_MAX : (uint32_t)later);
    if (older < later) {
        recency_give_up(r, used);
        recency_look(r);
        return RECENCY_FAR;
    }
    return exact ? r->lines - 1 - older + later : 0;
}

static inline uint64_t recency_line(struct recency *r, const struct sim_line *l)
{
    uint64_t *at = recency_of(r, l->line), used;

    __asm__ volatile("prefetcht0 %0" : : "m"(*at)); /* GCC 12 drops the builtin in some places */
    if (l->victim_used)
        *recency_of(r, l->victim) = l->victim_used;
    used = l->used ? l->used : *at;
    recency_exchange(r, l->used ? 0 : used, l->victim_used);
    recency_make_room(r);
    if (used)
        return recency_distance(r, used, l->several);
    recency_missed(r);
    return RECENCY_FIRST;
}

#endif
