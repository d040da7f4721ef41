/* analysis/shards.h - a sampled miss-ratio curve: the stack distances of a sample of lines, selected by a hash of their address.
 *
 *   shards_init(&s, config->line_bits, n, part)   a sample of n lines; or of one line in `part`, if that is more (0: no part)
 *   shards_come_near(&s, line, left, near)   for analysis_far; near: the number of near lines
 *   shards_misses(&s, k)                     an estimate of the misses of a cache of 2^k lines
 *   shards_error(&s, k)                      its standard error
 *
 * A line is in the sample if its hash is below a threshold; at first, all lines are.  When the sample has more than n lines, the line with
 * the largest hash is removed, and its hash becomes the threshold, which never falls below 1/part of the range of the hash.  With a
 * threshold of R (as a fraction of the range), a distance d in the sample estimates d / R, and a reference counts 1 / R times.  Unlike
 * in the paper, the number of all references is known, and references to near lines are known to be hits.
 * The error: each line is selected independently with probability R, so the variance of a sum is (1 - R) times the sum of the squares of
 * the lines' contributions (D. G. Horvitz, D. J. Thompson 1952).
 * Source: C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad, Efficient MRC construction with SHARDS, FAST 2015 (fixed size).
 */
#ifndef QN_SIM_ANALYSIS_SHARDS_H
#define QN_SIM_ANALYSIS_SHARDS_H

#include "sim/analysis/far.h"

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
#define SHARDS_SATURATED (1ull << 62)

struct shards_line {
    uint64_t line, hash, of[CURVE_CLASSES]; /* of: the weights of its references, by class */
};

struct shards {
    struct far far;
    struct by_line number;     /* of the line in `lines`, + 1 */
    struct shards_line *lines;
    uint32_t *heap, n, most, room; /* numbers of lines, the one with the largest hash at 0 */
    uint64_t least;            /* the threshold does not fall below */
    uint64_t threshold, all[CURVE_CLASSES], squares[CURVE_CLASSES]; /* squares: of lines that were removed from the sample */
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

static inline uint64_t shards_sum_above(const uint64_t *of, unsigned k)
{
    uint64_t sum = 0;

    for (unsigned i = k + 1; i < CURVE_CLASSES; i++)
        sum += of[i];
    return sum;
}

/* (1 - R) times the square of the line's contribution. */
static uint64_t shards_variance(const struct shards *s, const struct shards_line *l, unsigned k)
{
    uint64_t missed = shards_sum_above(l->of, k) >> SHARDS_PARTS_BITS, rest = SHARDS_ALL - s->threshold;

    if (missed >= 1ull << 31)
        return SHARDS_SATURATED;
    return ((missed * missed) >> 16) * (rest >> 16) + (((missed * missed) & 0xffff) * (rest >> 16) >> 16);
}

static inline uint64_t shards_plus(uint64_t a, uint64_t b) { return a + b < SHARDS_SATURATED ? a + b : SHARDS_SATURATED; }

/* ---- the sample ---- */

static void shards_give_up_largest(struct shards *s)
{
    uint32_t number = s->heap[0];
    struct shards_line *l = &s->lines[number];

    s->threshold = l->hash;
    for (unsigned k = 0; k < CURVE_CLASSES; k++)
        s->squares[k] = shards_plus(s->squares[k], shards_variance(s, l, k));
    far_take(&s->far, l->line);
    *by_line(&s->number, l->line) = 0;
    s->heap[0] = s->heap[--s->n];
    s->heap[s->n] = number; /* free */
    shards_sink(s);
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
    return &s->lines[number];
}

static struct shards_line *shards_find(struct shards *s, uint64_t line)
{
    uint32_t number = *by_line(&s->number, line);

    return number ? &s->lines[number - 1] : NULL;
}

static uint64_t shards_scale(const struct shards *s, uint64_t distance) { return (distance << 32) / s->threshold; }

static void shards_count(struct shards *s, struct shards_line *l, unsigned class)
{
    uint64_t weight = (SHARDS_ALL << SHARDS_PARTS_BITS) / s->threshold;

    s->all[class] += weight;
    l->of[class] += weight;
}

static __attribute__((noinline)) void shards_refer(struct shards *s, uint64_t line, uint64_t hash, uint32_t near)
{
    struct shards_line *l = shards_find(s, line);
    uint64_t d = FAR_FIRST;

    if (l)
        d = far_take(&s->far, line);
    else
        l = shards_add(s, line, hash);
    shards_count(s, l, d == FAR_FIRST ? CURVE_FIRST : curve_class(near + shards_scale(s, d)));
    while (s->n && (shards_key(s, 0) >= s->threshold || (s->n > s->most && shards_key(s, 0) >= s->least)))
        shards_give_up_largest(s);
}

static inline void shards_come_near(struct shards *s, uint64_t line, uint64_t left, uint32_t near)
{
    uint64_t hash = shards_hash(s, line);

    if (hash < s->threshold)
        shards_refer(s, line, hash, near);
    if (left != SIM_NO_LINE && shards_hash(s, left) < s->threshold)
        far_push(&s->far, left);
}

/* ---- the results ---- */

static uint64_t shards_misses(const struct shards *s, unsigned k) { return shards_sum_above(s->all, k) >> SHARDS_PARTS_BITS; }

static uint64_t shards_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 31; bit; bit >>= 1)
        root |= (root | bit) * (root | bit) <= n ? bit : 0;
    return root;
}

static uint64_t shards_error(const struct shards *s, unsigned k)
{
    uint64_t sum = s->squares[k];

    for (uint32_t i = 0; i < s->n; i++)
        sum = shards_plus(sum, shards_variance(s, &s->lines[s->heap[i]], k));
    return shards_root(sum);
}

static void shards_print(const struct shards *s, uint64_t touches)
{
    uint64_t worst = 0, parts;

    for (unsigned k = 0; k < CURVE_FIRST; k++)
        worst = shards_error(s, k) > worst ? shards_error(s, k) : worst;
    parts = touches ? worst * 10000 / touches : 0;
    sim_print("AN: of %u lines, drawn with probability 1/%U; standard error of a miss ratio: at most %U.%U%U%%", s->n, SHARDS_ALL / s->threshold,
              parts / 100, parts / 10 % 10, parts % 10);
}

#endif
