/* analysis/shards.h - a sampled miss-ratio curve: the stack distances of a sample of lines, selected by a hash of their address.
 *
 *   shards_init(&s, config->line_bits, n, part)   a sample of n lines; or of one line in `part`, if that is more (0: no part)
 *   shards_come_near(&s, line, left, near)   for analysis_far; near: the number of near lines
 *   shards_terms(&s, k, terms)               two numbers of a row: an estimate of the misses of a cache of 2^k lines, and its standard error
 *
 * A line is in the sample if its hash is below a threshold; at first, all lines are.  When the sample has more than n lines, the line with
 * the largest hash is removed, and its hash becomes the threshold, which never falls below 1/part of the range of the hash.  With a
 * threshold of R (as a fraction of the range), a distance d in the sample estimates d / R, and a reference counts 1 / R times.  Unlike
 * in the paper, the number of all references is known, and references to near lines are known to be hits.
 * The error: each line is selected independently with probability R, so the variance of a sum is (1 - R) times the sum of the squares of
 * the lines' contributions (D. G. Horvitz, D. J. Thompson 1952).  References that a fault takes back stay in the error and in the sample.
 * Source: C. A. Waldspurger, N. Park, A. Garthwaite, I. Ahmad, Efficient MRC construction with SHARDS, FAST 2015 (fixed size).
 */
#ifndef QN_SIM_ANALYSIS_SHARDS_H
#define QN_SIM_ANALYSIS_SHARDS_H

#include "sim/analysis/by_line.h"

/* ---- stack distances from the lines that become near and the lines that are no longer near (module.h) ----
 *
 *   far_init(&f, config->line_bits)
 *   d = far_take(&f, far->line)      the line becomes near; d: lines that are not near and were used since its last use;
 *                                    FAR_FIRST: it was never used before
 *   far_push(&f, far->left)          the line is no longer near; it was used later than all others that are not near
 *
 * The lines that are not near form an LRU stack: lines are pushed on top, and taken out anywhere.  Each pushed line gets the next number.
 * A bit for each number says whether its line is still in the stack; a Fenwick tree counts the bits by words of 64.  The latest words are
 * not in the tree: most lines are taken out of them, and their bits are counted directly.  When the numbers run out, the lines are
 * renumbered; if half of them are in use, their range is doubled.
 *
 * Memory: by_line.h for the lines of the program, and 2 to 4 bits for each of them.
 * Source: as stack.h. */

#define FAR_FIRST UINT64_MAX
#define FAR_SLOTS_FIRST (1u << 16)
#define FAR_SLOTS_MAX (1u << 31)
#define FAR_LATEST 8u /* full words that are not in the tree */
_Static_assert(FAR_LATEST + 2 <= 31, "see far_above");

struct far {
    struct by_line at;      /* number of the line + 1; 0: it is not in the stack */
    uint64_t *bits;
    uint32_t *tree, *below; /* below: while lines are renumbered, the number of lines before each word */
    uint32_t slots, now, lines;
    uint32_t added;         /* words in the tree */
};

static void far_make_room(struct far *f, uint32_t slots)
{
    f->slots = slots;
    f->bits = sim_alloc((slots / 64 + 1ull) * sizeof *f->bits); /* one to be filled next when all are full */
    f->tree = sim_alloc((slots / 64 + 1ull) * sizeof *f->tree);
    f->below = sim_alloc((slots / 64 + 1ull) * sizeof *f->below);
}

static void far_init(struct far *f, uint32_t line_bits)
{
    *f = (struct far){.now = 0};
    by_line_init(&f->at, line_bits);
    far_make_room(f, FAR_SLOTS_FIRST);
}

/* The number of 1 bits of each byte of a word: H. S. Warren, Hacker's Delight, 2002. */
static inline uint64_t far_byte_bits(uint64_t w)
{
    w -= w >> 1 & 0x5555555555555555ull;
    w = (w & 0x3333333333333333ull) + (w >> 2 & 0x3333333333333333ull);
    return (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0full;
}

/* The sum of the bytes. */
static inline uint32_t far_add_bytes(uint64_t bytes)
{
    uint64_t pairs = (bytes & 0x00ff00ff00ff00ffull) + (bytes >> 8 & 0x00ff00ff00ff00ffull);

    return (uint32_t)(pairs * 0x0001000100010001ull >> 48);
}

static inline uint32_t far_bits(uint64_t w) { return far_add_bytes(far_byte_bits(w)); }

static inline void far_add(struct far *f, uint32_t word, uint32_t n)
{
    for (word++; word <= f->slots / 64; word += word & -word)
        f->tree[word] += n;
}

/* The number of lines in the words before this one. */
static inline uint32_t far_sum(const struct far *f, uint32_t word)
{
    uint32_t sum = 0;

    for (; word; word -= word & -word)
        sum += f->tree[word];
    return sum;
}

static inline uint32_t far_before(uint64_t word, uint32_t bit) { return far_bits(word & ((1ull << bit) - 1)); }

static void far_renumber_lines(struct far *f)
{
    for (uint32_t i = 0; i < 1u << f->at.bits; i++) {
        const struct by_line_group *g = &f->at.table[i];

        for (uint32_t k = 0; g->number && k < BY_LINE_TOGETHER; k++)
            if (g->of[k]) {
                uint32_t slot = g->of[k] - 1;

                g->of[k] = f->below[slot / 64] + far_before(f->bits[slot / 64], slot % 64) + 1;
            }
    }
}

static __attribute__((noinline)) void far_renumber(struct far *f)
{
    uint32_t sum = 0;

    for (uint32_t word = 0; word < f->slots / 64; word++) {
        f->below[word] = sum;
        sum += far_bits(f->bits[word]);
    }
    far_renumber_lines(f);
    if (f->lines > f->slots / 2) {
        if (f->slots == FAR_SLOTS_MAX)
            sim_fail(sim.slot, "far", "far_push", 0, "more different lines than there is room for");
        far_make_room(f, 2 * f->slots);
    }
    for (uint32_t word = 0; word < f->slots / 64; word++) {
        f->bits[word] = word < f->lines / 64 ? ~0ull : word == f->lines / 64 ? (1ull << f->lines % 64) - 1 : 0;
        f->tree[word + 1] = 0;
    }
    f->now = f->lines;
    for (f->added = 0; f->added + FAR_LATEST < f->now / 64; f->added++)
        far_add(f, f->added, 64);
}

/* The number of lines above this bit of a word that is not in the tree. */
static inline uint32_t far_above(const struct far *f, uint32_t word, uint32_t bit)
{
    uint64_t bytes = far_byte_bits(f->bits[word] >> bit);

    for (word++; word <= f->now / 64; word++)
        bytes += far_byte_bits(f->bits[word]); /* at most 8 for each word, so a byte holds the sum of 31 words */
    return far_add_bytes(bytes);
}

static inline uint64_t far_take(struct far *f, uint64_t line)
{
    uint32_t *at = by_line(&f->at, line), slot = *at - 1, word = slot / 64;

    if (!*at)
        return FAR_FIRST;
    *at = 0;
    f->bits[word] &= ~(1ull << slot % 64);
    f->lines--;
    if (QN_LIKELY(word >= f->added))
        return far_above(f, word, slot % 64);
    far_add(f, word, (uint32_t)-1);
    return f->lines - far_sum(f, word) - far_before(f->bits[word], slot % 64);
}

static inline void far_push(struct far *f, uint64_t line)
{
    if (f->now == f->slots)
        far_renumber(f);
    *by_line(&f->at, line) = f->now + 1;
    f->bits[f->now / 64] |= 1ull << f->now % 64;
    f->lines++;
    if (++f->now % 64 == 0 && f->now / 64 > f->added + FAR_LATEST) {
        far_add(f, f->added, far_bits(f->bits[f->added]));
        f->added++;
    }
}

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

static void shards_count(struct shards *s, struct shards_line *l, unsigned class)
{
    uint64_t weight = (SHARDS_ALL << SHARDS_PARTS_BITS) / s->threshold;

    sim_undoable(&s->all[class]);
    s->all[class] += weight;
    l->of[class] += weight;
    if (s->threshold < SHARDS_ALL)
        shards_add_square(s, l, class, weight);
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

/* Two numbers: the misses of a cache of 2^k lines, and their standard error. */
static void shards_terms(const struct shards *s, unsigned k, struct sim_term to[2])
{
    to[0] = (struct sim_term){.cells = s->all + k + 1, .n = CURVE_CLASSES - k - 1, .times = 1, .shift = SHARDS_PARTS_BITS};
    to[1] = (struct sim_term){.cells = s->variance + 2ull * k, .n = 2, .times = 1, .of = SIM_SUM_ROOT};
}

/* The largest error is that of the smallest cache, because a line misses more often there. */
static void shards_declare(const struct shards *s, struct sim_term touches)
{
    struct sim_term terms[5];

    terms[0] = (struct sim_term){.cells = &s->sample[SHARDS_LINES], .n = 1, .times = 1};
    terms[1] = (struct sim_term){.cells = &s->sample[SHARDS_INVERSE], .n = 1, .times = 1};
    shards_terms(s, 0, terms + 2);
    terms[2] = terms[3];
    terms[3] = touches;
    sim_row(terms, 4, "AN: of %%U lines, drawn with probability 1/%%U; standard error of a miss ratio: at most %%P%%");
}

#endif
