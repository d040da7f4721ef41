/* analysis/far.h - stack distances from the stream of records (module.h): how many lines were used since this one was?
 *
 *   far_init(&f, config->line_bits)
 *   d = far_take(&f, line)           the line becomes recent; d: lines that are not recent and were used since its last use;
 *                                    FAR_FIRST: it was never used before
 *   far_push(&f, line)               SIM_LEFT: it is recent no longer; it was used later than all others that are not
 *
 * The lines that are not recent form an LRU stack: lines are pushed on top, and taken out anywhere.  Each pushed line gets the next number.
 * A bit for each number says whether its line is still in the stack; a Fenwick tree counts the bits by words of 64.  The latest words are
 * not in the tree: most lines are taken out of them, and their bits are counted directly.  When the numbers run out, the lines are
 * renumbered; if half of them are in use, their range is doubled.
 *
 * Memory: by_line.h for the lines of the program, and 2 to 4 bits for each of them.
 * Source: R. L. Mattson et al., Evaluation techniques for storage hierarchies, IBM Systems Journal 9(2), 1970; the tree:
 * B. T. Bennett, V. J. Kruskal, LRU stack processing, IBM J. Res. Dev. 19(4), 1975.
 */
#ifndef QN_SIM_ANALYSIS_FAR_H
#define QN_SIM_ANALYSIS_FAR_H

#include "sim/analysis/by_line.h"

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

#endif
