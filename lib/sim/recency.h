/* lib/sim/recency.h - for --explain: on a fill of the D1: would a fully associative LRU cache of the same size (FA for short) hold the line?  The answer comes
 * from the times of the lines' last uses; hits cost nothing (doc/reference.md, "Who looks on").
 *
 *   recency_init(&r, config)
 *   recency_line(&r, line)         the distance, that is, the number of other lines used since this line's last use.
 *                                  RECENCY_FIRST: the line was never used before; RECENCY_FAR: at least as many as FA has lines.
 *                                  Below that it is exact if the reference is to several lines, otherwise 0
 *   recency_pass(&r, line)         the same, without computing the distance
 *   r.at_line, r.at_victim         after either call: the words stored for the line that was filled, and for the victim.  RECENCY_WORDS, if
 *                                  defined before, is the number of words for each line; the first one is used here
 *
 * An evicted line has the time of its last use in a table, by groups of 64 adjacent lines: 8 bytes for each line of a group, and at most 64
 * for the group.  Evicted lines that FA may still hold are also in an unordered list, and are counted by time, in 256 counts.  So the number of
 * evicted lines used after a given time is known except for the lines of one count.  Only if these decide, the list is searched.
 * Source: the distance as in stack.h; doc/reference.md derives that the stamps of resident lines are enough for theirs, and that only misses
 * change the rest.
 */
#ifndef QN_SIM_RECENCY_H
#define QN_SIM_RECENCY_H

#include "sim/contract.h"
#include "sim/module.h"

#ifndef RECENCY_WORDS
#define RECENCY_WORDS 1u
#endif
#define QN_RECENCY_SELDOM __attribute__((noinline))
#define RECENCY_FIRST UINT64_MAX
#define RECENCY_FAR (UINT64_MAX - 1)
#define RECENCY_TOGETHER_BITS 6
#define RECENCY_TOGETHER (1u << RECENCY_TOGETHER_BITS)
#define RECENCY_BITS_FIRST 10
#define RECENCY_CHUNK 256u /* groups of lines that are allocated at a time */
#define RECENCY_COUNTS QN_PLACE_COUNTS
#define RECENCY_NEVER UINT32_MAX
#define RECENCY_UNFORESEEN 4u /* after so many misses of FA that were not foreseen, the D1 is searched again */
#define RECENCY_FINER 16u   /* when so few counts are in use, times are counted with a finer resolution */
#define RECENCY_SURE 4u     /* number of intervals of time in which misses are known to be conflicts */
#define RECENCY_MORE 320u   /* places in the list of evicted lines for those that are recorded late (recency_waited) */

struct recency_group {
    uint64_t number, *used;  /* address of its first byte / bytes of the group, + 1; by line: time of the last use, 0 = it is in the cache,
                                or never was */
};

struct recency_away {
    uint64_t time;           /* of the last use of a line that has left ... */
    const uint64_t *used;    /* ... as long as this has the same time: else the line has come back */
};

struct recency {
    struct recency_group *table;
    uint64_t *pool;          /* times for groups to come */
    uint32_t bits, groups, left;
    uint32_t lines, line_bits; /* of the cache; of an address in a line */
    struct recency_away *away;
    uint64_t *at_line, *at_victim;
    uint32_t n, room;
    uint64_t hopeless;       /* FA holds no line that was last used at this time or before */
    uint64_t base;           /* times after it are counted, 2^shift of them in one count */
    uint32_t shift, top;     /* top: the last count that is not 0, or one after it */
    uint32_t count[RECENCY_COUNTS];
    uint32_t need[RECENCY_COUNTS]; /* the number of misses of FA since the last search after which all times of this count are hopeless */
    uint64_t looked_base;    /* base and shift of `need` */
    uint32_t looked_shift, next; /* next: the first count whose times are not hopeless yet */
    uint32_t misses, unforeseen; /* of FA, since the last search */
    struct {
        uint64_t after, until; /* until this time, a miss on a line last used after `after` is a conflict */
    } sure[RECENCY_SURE];
    uint32_t next_sure;
};

static void recency_init(struct recency *r, const struct sim_config *c)
{
    *r = (struct recency){.bits = RECENCY_BITS_FIRST, .lines = c->size / c->line, .line_bits = c->line_bits, .next = RECENCY_COUNTS};
    r->table = sim_alloc((1ull << r->bits) * sizeof *r->table);
    r->room = 4 * r->lines + 64;
    r->away = sim_alloc((r->room + RECENCY_MORE) * sizeof *r->away);
}

/* ---- evicted lines ---- */

static inline struct recency_group *recency_group_of(const struct recency *r, uint64_t number)
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
            *recency_group_of(r, old[i].number) = old[i];
}

static __attribute__((noinline)) struct recency_group *recency_add(struct recency *r, uint64_t number)
{
    struct recency_group *g;

    if (r->groups++ >= (1u << r->bits) / 2)
        recency_grow(r);
    if (!r->left--) {
        r->left = RECENCY_CHUNK - 1;
        r->pool = sim_alloc((uint64_t)RECENCY_CHUNK * RECENCY_TOGETHER * RECENCY_WORDS * sizeof *r->pool);
    }
    g = recency_group_of(r, number);
    *g = (struct recency_group){number, r->pool};
    r->pool += RECENCY_TOGETHER * RECENCY_WORDS;
    return g;
}

/* The word with the time of the line's last use, which is valid while the line is not in the D1. */
static inline uint64_t *recency_of(struct recency *r, uint64_t address)
{
    uint64_t line = address >> r->line_bits, number = (line >> RECENCY_TOGETHER_BITS) + 1;
    struct recency_group *g = recency_group_of(r, number);

    if (!g->number)
        g = recency_add(r, number);
    return &g->used[(line & (RECENCY_TOGETHER - 1)) * RECENCY_WORDS];
}

/* ---- evicted lines that FA may still hold ---- */

/* Halves the resolution, if times are too late for 256 counts. */
static QN_RECENCY_SELDOM void recency_coarsen(struct recency *r)
{
    r->shift++;
    r->top /= 2;
    for (uint32_t i = 0; i < RECENCY_COUNTS / 2; i++)
        r->count[i] = r->count[2 * i] + r->count[2 * i + 1];
    for (uint32_t i = RECENCY_COUNTS / 2; i < RECENCY_COUNTS; i++)
        r->count[i] = 0;
}

static inline uint64_t recency_at(const struct recency *r, uint64_t time) { return (time - r->base) >> r->shift; }

static inline void recency_count(struct recency *r, uint64_t time, bool held)
{
    uint64_t at;

    while (QN_UNLIKELY((at = recency_at(r, time)) >= RECENCY_COUNTS))
        recency_coarsen(r);
    r->count[at] += held;
    r->top = at > r->top ? (uint32_t)at : r->top;
}

static bool recency_is_away(const struct recency *r, uint32_t i) { return *r->away[i].used == r->away[i].time; }

/* The number of evicted lines used later than `used`.  The line that was just filled is no longer among them. */
static QN_RECENCY_SELDOM uint32_t recency_later(const struct recency *r, uint64_t used)
{
    uint32_t later = 0;

    for (uint32_t i = 0; i < r->n; i++)
        later += r->away[i].time > used && recency_is_away(r, i);
    return later;
}

/* ---- lines that FA has evicted ----
 *
 * The time of FA's oldest line never decreases, and each miss of FA increases it.  So one search of the D1 gives the bounds for the next
 * misses: the time up to which all lines will have been evicted from FA after the next miss, after the one after that, and so on.  Hits,
 * which are not observed here, can only raise these bounds.
 *
 * In numbers: FA has evicted all lines last used at T or before if the number of evicted lines (of the D1) used after T is at least the
 * number of ways of the D1 that are free or hold a line last used at T or before.  Each miss of FA raises the difference by one.
 *
 * While the difference is below zero, FA still holds the line: in n units of time, at most n lines get their first use after T. */

static inline bool recency_has(const struct recency *r, uint64_t used, uint64_t now)
{
    for (uint32_t i = 0; i < RECENCY_SURE; i++)
        if (used >= r->sure[i].after && now <= r->sure[i].until)
            return true;
    return false;
}

/* FA holds all lines used after `used`, until the time `until`. */
static inline void recency_be_sure(struct recency *r, uint64_t used, uint64_t until)
{
    uint32_t i = r->next_sure++ % RECENCY_SURE;

    r->sure[i].after = used;
    r->sure[i].until = until;
}

/* Raises `hopeless` as far as the number of misses since the last search allows. */
static inline void recency_give_up(struct recency *r)
{
    uint64_t time;

    while (r->next < RECENCY_COUNTS - 1 && r->need[r->next] <= r->misses) {
        time = r->looked_base + ((uint64_t)++r->next << r->looked_shift) - 1; /* the last one of the count */
        r->hopeless = time > r->hopeless ? time : r->hopeless;
    }
}

/* A miss of FA, too. */
static inline void recency_missed(struct recency *r)
{
    r->misses++;
    recency_give_up(r);
}

/* Removes lines from the list that are in the D1 again, or that FA no longer holds. */
static uint64_t recency_compact(struct recency *r)
{
    uint64_t last = r->hopeless;
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        if (r->away[i].time <= r->hopeless || !recency_is_away(r, i))
            continue;
        r->away[n++] = r->away[i];
        last = r->away[i].time > last ? r->away[i].time : last;
    }
    r->n = n;
    return last;
}

/* Counts the times after `hopeless` again, with the finest resolution that reaches to `last`. */
static void recency_recount(struct recency *r, uint64_t last)
{
    r->base = r->hopeless;
    r->top = 0;
    for (r->shift = 0; recency_at(r, last) >= RECENCY_COUNTS; r->shift++)
        continue;
    __builtin_memset(r->count, 0, sizeof r->count);
    for (uint32_t i = 0; i < r->n; i++)
        recency_count(r, r->away[i].time, true);
}

/* Searches the D1 and sets `need`.  Returns the number of counts that are hopeless now. */
static uint32_t recency_foresee(struct recency *r)
{
    uint32_t places[RECENCY_COUNTS], older = qn_sim_count_places(r->base, r->shift, places), later = r->n, hopeless = 0;

    for (uint32_t i = 0; i < RECENCY_COUNTS; i++) {
        older += places[i];
        later -= r->count[i];
        r->need[i] = older >= r->lines ? RECENCY_NEVER : older > later ? older - later : 0; /* never: these times may be yet to come */
        hopeless += !r->need[i];
    }
    r->looked_base = r->base;
    r->looked_shift = r->shift;
    r->next = r->misses = r->unforeseen = 0;
    return hopeless;
}

/* If more lines are in the list than FA holds, removes the oldest ones: C. A. R. Hoare, Algorithm 65: FIND, 1961. */
static QN_RECENCY_SELDOM void recency_drop_oldest(struct recency *r)
{
    int64_t low = 0, high = (int64_t)r->n - 1, wanted = high - (int64_t)r->lines;
    struct recency_away *a = r->away;

    while (low < high) {
        uint64_t middle = a[(low + high) / 2].time;
        int64_t i = low, j = high;

        while (i <= j) {
            while (a[i].time < middle)
                i++;
            while (a[j].time > middle)
                j--;
            if (i <= j) {
                struct recency_away other = a[i];

                a[i++] = a[j];
                a[j--] = other;
            }
        }
        low = wanted >= i ? i : low;
        high = wanted <= j ? j : high;
        if (wanted > j && wanted < i)
            break;
    }
    r->hopeless = a[wanted].time > r->hopeless ? a[wanted].time : r->hopeless;
}

static QN_RECENCY_SELDOM void recency_look(struct recency *r)
{
    uint32_t left = 0;

    do {
        recency_recount(r, recency_compact(r));
        left = RECENCY_COUNTS - recency_foresee(r);
        recency_give_up(r);
    } while (r->shift && left && left < RECENCY_FINER);
    if (r->n > 2 * r->lines) {
        recency_drop_oldest(r);
        recency_recount(r, recency_compact(r));
    }
}

/* ---- all ---- */

/* The distance, if it needs a search of the D1. */
static inline uint64_t recency_search(struct recency *r, uint64_t used, uint64_t now, bool exact)
{
    uint32_t least = 0, most, older;

    for (uint64_t i = recency_at(r, used) + 1; i <= r->top; i++)
        least += r->count[i];
    most = least + (recency_at(r, used) < RECENCY_COUNTS ? r->count[recency_at(r, used)] : 0);
    if (!most && !exact)
        return 0;
    older = qn_sim_older_places(used, exact ? UINT32_MAX : most + r->lines / 4);
    if (older > most)
        recency_be_sure(r, used, now + older - most);
    if (exact || (older >= least && older < most))
        least = recency_later(r, used);
    if (older >= least)
        return exact ? r->lines - 1 - older + least : 0;
    r->hopeless = used;
    recency_missed(r);
    r->unforeseen++;
    return RECENCY_FAR;
}

static inline uint64_t recency_distance(struct recency *r, uint64_t used, uint64_t now, bool exact)
{
    uint64_t distance;

    if (used <= r->hopeless) {
        recency_missed(r);
        return RECENCY_FAR;
    }
    if (!exact && recency_has(r, used, now))
        return 0;
    distance = recency_search(r, used, now, exact);
    if (r->unforeseen >= RECENCY_UNFORESEEN)
        recency_look(r);
    return distance;
}

/* left: recency_of the victim. */
static inline void recency_leaves(struct recency *r, uint64_t *left, uint64_t used)
{
    bool held = used > r->hopeless; /* by FA; no jump depends on it, because the processor could not predict it */

    *left = used;
    r->away[r->n] = (struct recency_away){used, left};
    r->n += held;
    recency_count(r, r->base + ((used - r->base) & (0 - (uint64_t)held)), held);
}

/* Records the fill and the victim.  Returns the time of the line's last use; 0: never. */
static inline uint64_t recency_exchange(struct recency *r, const struct qn_line_use *l)
{
    uint64_t *at = recency_of(r, l->line), used;

    r->at_line = at;
    __asm__ volatile("prefetcht0 %0" : : "m"(*at)); /* GCC 12 drops the builtin in some places */
    if (l->victim_used)
        recency_leaves(r, r->at_victim = recency_of(r, l->victim), l->victim_used);
    used = l->used ? l->used : *at;
    if (!l->used && used) {
        *at = 0;
        if (used > r->hopeless)
            r->count[recency_at(r, used)]--;
    }
    return used;
}

static inline uint64_t recency_line(struct recency *r, const struct qn_line_use *l)
{
    uint64_t used = recency_exchange(r, l), distance = RECENCY_FIRST;

    if (used)
        distance = recency_distance(r, used, l->now, l->several);
    else
        recency_missed(r);
    if (QN_UNLIKELY(r->n >= r->room))
        recency_look(r);
    return distance;
}

/* The same without the distance.  It searches the D1 only when the list is full. */
static inline void recency_pass(struct recency *r, const struct qn_line_use *l)
{
    uint64_t used = recency_exchange(r, l);

    if (used <= r->hopeless)
        recency_missed(r);
    if (QN_UNLIKELY(r->n >= r->room))
        recency_look(r);
}

/* After many calls of recency_exchange: the D1's stamps are those of now, so it is searched only now. */
static inline void recency_told(struct recency *r)
{
    if (QN_UNLIKELY(r->n >= r->room))
        recency_look(r);
}

#endif
