/* analysis/shards.h - a sampled miss-ratio curve: the stack distances of a sample of lines, selected by a hash of their address.
 *
 *   shards_init(&s, config->line_bits, n, part)   a sample of n lines; or of one line in `part`, if that is more (0: no part)
 *   shards_use(&s, line, recent, counts)     a line becomes recent; recent: the number of those that are; counts: it was not undone
 *   shards_leave(&s, line)                   it is recent no longer
 *   shards_see(&s, record, recent)           one of the two, by a record of the stream (module.h)
 *   shards_terms(&s, k, terms)               two numbers of a row: an estimate of the misses of a cache of 2^k lines, and its standard error
 *
 * A line is in the sample if its hash is below a threshold; at first, all lines are.  When the sample has more than n lines, the line with
 * the largest hash is removed, and its hash becomes the threshold, which never falls below 1/part of the range of the hash.  With a
 * threshold of R (as a fraction of the range), a distance d in the sample estimates d / R, and a reference counts 1 / R times.  Unlike
 * in the paper, the number of all references is known, and uses of recent lines are known to be hits.
 * The error: each line is selected independently with probability R, so the variance of a sum is (1 - R) times the sum of the squares of
 * the lines' contributions (D. G. Horvitz, D. J. Thompson 1952).  References that a fault takes back stay in the error and in the sample.
 * Source: C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad, Efficient MRC construction with SHARDS, FAST 2015 (fixed size).
 */
#ifndef QN_SIM_ANALYSIS_SHARDS_H
#define QN_SIM_ANALYSIS_SHARDS_H

#include "sim/analysis/far.h"

/* ---- the sample ---- */

/* Distances by the number of their bits: a cache of 2^k lines hits what has at most k. */
#define CURVE_FIRST 33u
#define CURVE_CLASSES 34u

static inline unsigned curve_class(uint64_t distance)
{
    unsigned bits = distance ? 64u - (unsigned)__builtin_clzll(distance) : 0;

    return bits < CURVE_FIRST ? bits : CURVE_FIRST - 1;
}

#define SHARDS_MAX (1u << 20)
#define SHARDS_LEAST 8192u       /* the smallest sample with `part`, in lines: the paper's mean error is then below 0.01 */
#define SHARDS_ALL (1ull << 32)  /* the range of the hash */
#define SHARDS_PARTS_BITS 8      /* weights are in parts of a reference */

__extension__ typedef unsigned __int128 shards_wide;

struct shards_line {
    uint64_t line, hash, of[CURVE_CLASSES]; /* of: the weights of its references, by class */
};

enum { SHARDS_LINES, SHARDS_INVERSE, SHARDS_CELLS }; /* lines in the sample; 1/R */

struct shards {
    struct far far;
    struct by_line number;     /* of the line in `lines`, + 1 */
    struct shards_line *lines;
    uint32_t *heap, n, most, room; /* numbers of lines, the one with the largest hash at 0 */
    uint64_t least;            /* the threshold does not fall below */
    uint64_t threshold;
    shards_wide squares[CURVE_FIRST], gone[CURVE_FIRST]; /* by k: of the lines of the sample; the share of those that were removed */
    uint64_t *all, *variance, *sample; /* cells: weights by class; a number in two cells by k; as follows */
    uint32_t bits;
};

static void shards_make_room(struct shards *s, uint32_t room)
{
    struct shards_line *lines = sim_alloc(room * sizeof *lines);
    uint32_t *heap = sim_alloc(room * sizeof *heap);

    if (s->n) {
        __builtin_memcpy(lines, s->lines, s->n * sizeof *lines);
        __builtin_memcpy(heap, s->heap, s->n * sizeof *heap);
    }
    for (uint32_t i = s->n; i < room; i++)
        heap[i] = i;
    s->lines = lines;
    s->heap = heap;
    s->room = room;
}

static void shards_init(struct shards *s, uint32_t line_bits, uint32_t most, uint32_t part)
{
    *s = (struct shards){.most = most, .threshold = SHARDS_ALL, .bits = line_bits, .least = part ? SHARDS_ALL / part : 0};
    far_init(&s->far, line_bits);
    by_line_init(&s->number, line_bits);
    shards_make_room(s, most + 1);
    s->all = sim_cells(CURVE_CLASSES);
    s->variance = sim_cells(2ull * CURVE_FIRST);
    s->sample = sim_cells(SHARDS_CELLS);
    s->sample[SHARDS_INVERSE] = 1;
}

/* 32 bits of a hash whose every bit depends on all: the finish of MurmurHash3 (A. Appleby 2011). */
static inline uint64_t shards_hash(const struct shards *s, uint64_t line)
{
    uint64_t h = line >> s->bits;

    h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
    return (h ^ h >> 33) >> 32;
}

/* ---- the heap ---- */

static inline uint64_t shards_key(const struct shards *s, uint32_t at) { return s->lines[s->heap[at]].hash; }

static void shards_swap(struct shards *s, uint32_t a, uint32_t b)
{
    uint32_t was = s->heap[a];

    s->heap[a] = s->heap[b];
    s->heap[b] = was;
}

static void shards_rise(struct shards *s, uint32_t at)
{
    for (; at && shards_key(s, at) > shards_key(s, (at - 1) / 2); at = (at - 1) / 2)
        shards_swap(s, at, (at - 1) / 2);
}

static void shards_sink(struct shards *s)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < s->n; at = child) {
        child += child + 1 < s->n && shards_key(s, child + 1) > shards_key(s, child);
        if (shards_key(s, at) >= shards_key(s, child))
            return;
        shards_swap(s, at, child);
    }
}

/* ---- errors ---- */

/* The square of a line's misses in a cache.  above: their weights, those of the classes above that of the cache. */
static inline shards_wide shards_square(uint64_t above)
{
    uint64_t misses = above >> SHARDS_PARTS_BITS;

    return (shards_wide)misses * misses;
}

/* (1 - R) times a sum of squares. */
static inline shards_wide shards_share(const struct shards *s, shards_wide squares)
{
    uint64_t rest = SHARDS_ALL - s->threshold;

    return (squares >> 32) * rest + ((squares & UINT32_MAX) * rest >> 32);
}

static inline void shards_set_variance(struct shards *s, unsigned k)
{
    shards_wide v = s->gone[k] + shards_share(s, s->squares[k]);

    s->variance[2 * k] = (uint64_t)v;
    s->variance[2 * k + 1] = (uint64_t)(v >> 64);
}

/* A line of the sample has missed `weight` more in caches of less than 2^class lines. */
static void shards_add_square(struct shards *s, const struct shards_line *l, unsigned class, uint64_t weight)
{
    uint64_t above = 0;

    for (unsigned k = CURVE_CLASSES - 1; k-- > 0;) {
        above += l->of[k + 1];
        if (k >= class)
            continue;
        s->squares[k] += shards_square(above) - shards_square(above - weight);
        shards_set_variance(s, k);
    }
}

/* Before the first line is removed nothing is estimated, and there are no squares. */
static __attribute__((noinline)) void shards_add_squares(struct shards *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct shards_line *l = &s->lines[s->heap[i]];
        uint64_t above = 0;

        for (unsigned k = CURVE_CLASSES - 1; k-- > 0;)
            s->squares[k] += shards_square(above += l->of[k + 1]);
    }
}

/* The line is removed.  The threshold, which is its hash now, is that of all. */
static void shards_remove_squares(struct shards *s, const struct shards_line *l)
{
    uint64_t above = 0;

    for (unsigned k = CURVE_CLASSES - 1; k-- > 0;) {
        shards_wide square = shards_square(above += l->of[k + 1]);

        s->squares[k] -= square;
        s->gone[k] += shards_share(s, square);
        shards_set_variance(s, k);
    }
}

/* ---- the sample ---- */

static void shards_give_up_largest(struct shards *s)
{
    uint32_t number = s->heap[0];
    struct shards_line *l = &s->lines[number];

    if (s->threshold == SHARDS_ALL)
        shards_add_squares(s);
    s->threshold = l->hash;
    shards_remove_squares(s, l);
    far_take(&s->far, l->line);
    *by_line(&s->number, l->line) = 0;
    s->heap[0] = s->heap[--s->n];
    s->heap[s->n] = number; /* free */
    shards_sink(s);
    s->sample[SHARDS_LINES] = s->n;
    s->sample[SHARDS_INVERSE] = s->threshold ? SHARDS_ALL / s->threshold : 0;
}

static struct shards_line *shards_add(struct shards *s, uint64_t line, uint64_t hash)
{
    uint32_t number;

    if (s->n == s->room)
        shards_make_room(s, 2 * s->room);
    number = s->heap[s->n];
    s->lines[number] = (struct shards_line){.line = line, .hash = hash};
    *by_line(&s->number, line) = number + 1;
    shards_rise(s, s->n++);
    s->sample[SHARDS_LINES] = s->n;
    return &s->lines[number];
}

static struct shards_line *shards_find(struct shards *s, uint64_t line)
{
    uint32_t number = *by_line(&s->number, line);

    return number ? &s->lines[number - 1] : NULL;
}

static uint64_t shards_scale(const struct shards *s, uint64_t distance) { return (distance << 32) / s->threshold; }

static void shards_count(struct shards *s, struct shards_line *l, unsigned class, bool counts)
{
    uint64_t weight = (SHARDS_ALL << SHARDS_PARTS_BITS) / s->threshold;

    s->all[class] += counts ? weight : 0;
    l->of[class] += weight;
    if (s->threshold < SHARDS_ALL)
        shards_add_square(s, l, class, weight);
}

static __attribute__((noinline)) void shards_refer(struct shards *s, uint64_t line, uint64_t hash, uint32_t recent, bool counts)
{
    struct shards_line *l = shards_find(s, line);
    uint64_t d = FAR_FIRST;

    if (l)
        d = far_take(&s->far, line);
    else
        l = shards_add(s, line, hash);
    shards_count(s, l, d == FAR_FIRST ? CURVE_FIRST : curve_class(recent + shards_scale(s, d)), counts);
    while (s->n && (shards_key(s, 0) >= s->threshold || (s->n > s->most && shards_key(s, 0) >= s->least)))
        shards_give_up_largest(s);
}

static inline void shards_use(struct shards *s, uint64_t line, uint32_t recent, bool counts)
{
    uint64_t hash = shards_hash(s, line);

    if (hash < s->threshold)
        shards_refer(s, line, hash, recent, counts);
}

static inline void shards_leave(struct shards *s, uint64_t line)
{
    if (shards_hash(s, line) < s->threshold)
        far_push(&s->far, line);
}

static inline void shards_see(struct shards *s, const struct sim_record *r, uint32_t recent)
{
    if (r->what & SIM_LEFT)
        shards_leave(s, r->line);
    else
        shards_use(s, r->line, recent, !(r->what & SIM_UNDONE));
}

/* ---- the results ---- */

/* Two numbers: the misses of a cache of 2^k lines, and their standard error. */
static void shards_terms(const struct shards *s, unsigned k, struct sim_term to[2])
{
    to[0] = (struct sim_term){.cells = s->all + k + 1, .n = CURVE_CLASSES - k - 1, .times = 1, .shift = SHARDS_PARTS_BITS};
    to[1] = (struct sim_term){.cells = s->variance + 2ull * k, .n = 2, .times = 1, .of = SIM_SUM_ROOT};
}

/* Of all misses, those on lines that were not used before. */
static struct sim_term shards_first(const struct shards *s)
{
    return (struct sim_term){.cells = s->all + CURVE_FIRST, .n = 1, .times = 1, .shift = SHARDS_PARTS_BITS};
}

/* The largest error is that of the smallest cache, because a line misses more often there.  lines: the number of line look-ups, two terms. */
static void shards_declare(const struct shards *s, const struct sim_term lines[2])
{
    struct sim_term terms[5];

    terms[0] = (struct sim_term){.cells = &s->sample[SHARDS_LINES], .n = 1, .times = 1};
    terms[1] = (struct sim_term){.cells = &s->sample[SHARDS_INVERSE], .n = 1, .times = 1};
    shards_terms(s, 0, terms + 2);
    terms[2] = terms[3];
    terms[3] = lines[0];
    terms[4] = lines[1];
    sim_row(terms, 5, "AN: of %%U lines, drawn with probability 1/%%U; standard error of a miss ratio: at most %%P%%");
}

#endif
