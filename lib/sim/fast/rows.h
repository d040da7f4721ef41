/* lib/sim/fast/rows.h - least recently used, by rows: the lines of a set, the line used last first.
 *
 *   row_move(row, C)     [A B C D E F G H]  ->  [C A B D E F G H], depth 2
 *   row_move(row, X)     [C A B D E F G H]  ->  [X C A B D E F G], depth 8: a miss
 *
 * A cache of n ways holds the first n lines of the row, which may be longer: a depth of n or more is a miss.  (Mattson et al., Evaluation
 * techniques for storage hierarchies, IBM Systems Journal 9(2), 1970.)  A word is a line's number plus one; 0 is no line.
 *
 * In:  the instructions to use, and the number of words of a row (both constants, so that the compiled loop makes no decisions)
 * Out: the row, the depth
 *
 * The processor cannot predict the depth, so the vector versions do not jump on it.  Rows of 4, 8 and 16 words are moved by AVX-512, by
 * AVX2 or word by word; rows of 1 and 2 words always word by word.  Vector registers belong to the guest, and the engine is compiled so that
 * it does not use them: rows_begin saves the ones used here, with all their bits, and rows_end restores them.
 */
#ifndef QN_SIM_ROWS_H
#define QN_SIM_ROWS_H

#include "sim/contract.h"

#define ROWS_INLINE static inline __attribute__((always_inline, unused))
#define ROW_WORDS_MAX 16u

/* The shortest row for so many ways.  A row of 4 and more words lies at a multiple of its size. */
static inline __attribute__((unused)) uint32_t row_words(uint32_t ways)
{
    uint32_t words = 1;

    while (words < ways)
        words *= 2;
    return words;
}

/* ---- by words ---- */

/* For any number of words.  If most references miss, the jump is mostly predicted.  Conditional moves instead of it take longer than the
 * mispredicts (doc/performance-history.md). */
ROWS_INLINE unsigned row_search(uint64_t *row, unsigned words, uint64_t line)
{
    uint64_t carried = line;
    unsigned depth;

#pragma GCC unroll 16
    for (depth = 0; depth < words; depth++) {
        uint64_t here = row[depth];

        row[depth] = carried;
        if (here == line)
            break;
        carried = here;
    }
    return depth;
}

/* Of two words, without a jump. */
ROWS_INLINE unsigned row_move_two(uint64_t *row, uint64_t line)
{
    uint64_t first = row[0], second = row[1];

    row[0] = line;
    row[1] = first == line ? second : first;
    return first == line ? 0 : 2 - (second == line);
}

/* ---- by AVX-512 ----
 *
 * vpcompressq removes the line from the row; valignq shifts the result by one word and puts the line in front.  The new row does not
 * depend on a general register, so it need not wait for the depth. */

ROWS_INLINE uint32_t row_move_by_512(uint64_t *row, unsigned words)
{
    uint32_t others, far, all;

    if (words == 4)
        __asm__ volatile("vmovdqa64 %1, %%ymm16\n\t"
                         "vpcmpneqq %%ymm17, %%ymm16, %%k1\n\t"
                         "kmovd %%k1, %0\n\t"
                         "vpcompressq %%ymm16, %%ymm16%{%%k1%}\n\t"
                         "valignq $3, %%ymm17, %%ymm16, %%ymm16\n\t"
                         "vmovdqa64 %%ymm16, %1" : "=r"(others), "+m"(*(uint64_t(*)[4])row));
    else if (words == 8)
        __asm__ volatile("vmovdqa64 %1, %%zmm16\n\t"
                         "vpcmpneqq %%zmm17, %%zmm16, %%k1\n\t"
                         "kmovd %%k1, %0\n\t"
                         "vpcompressq %%zmm16, %%zmm16%{%%k1%}\n\t"
                         "valignq $7, %%zmm17, %%zmm16, %%zmm16\n\t"
                         "vmovdqa64 %%zmm16, %1" : "=r"(others), "+m"(*(uint64_t(*)[8])row));
    else { /* the second half moves only if the first half does not have the line; then it gets the last line of the first half */
        __asm__ volatile("vmovdqa64 (%4), %%zmm16\n\t"
                         "vmovdqa64 64(%4), %%zmm18\n\t"
                         "vpcmpneqq %%zmm17, %%zmm16, %%k1\n\t"
                         "vpcmpneqq %%zmm17, %%zmm18, %%k2\n\t"
                         "kmovd %%k1, %0\n\t"
                         "kmovd %%k2, %1\n\t"
                         "vpcompressq %%zmm18, %%zmm19%{%%k2%}%{z%}\n\t"
                         "valignq $7, %%zmm16, %%zmm19, %%zmm19\n\t"
                         "vpcompressq %%zmm16, %%zmm16%{%%k1%}\n\t"
                         "valignq $7, %%zmm17, %%zmm16, %%zmm16\n\t"
                         "leal -255(%q0), %2\n\t"
                         "cmpl $1, %2\n\t"
                         "sbbl %2, %2\n\t" /* -1 if the first half does not have the line, else 0 */
                         "kmovd %2, %%k1\n\t"
                         "vmovdqa64 %%zmm19, %%zmm18%{%%k1%}\n\t"
                         "vmovdqa64 %%zmm16, (%4)\n\t"
                         "vmovdqa64 %%zmm18, 64(%4)"
                         : "=&r"(others), "=&r"(far), "=&r"(all), "+m"(*(uint64_t(*)[16])row) : "r"(row) : "cc");
        others |= far << 8;
    }
    return ~others;
}

/* ---- by AVX2 ----
 *
 *   row        A B C D | E F G H      C is referenced: depth 2
 *   shifted    C A B C | D E F G      vpermq rotates each half, vpblendd inserts the last word of the half before
 *   taken      1 1 1 0 | 0 0 0 0      vblendvpd takes the shifted words up to the depth (row_taken), the old ones after it
 */
static const uint64_t row_taken[2 * ROW_WORDS_MAX] __attribute__((unused)) = { /* from [16 - depth] on */
    ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull,
};

#define ROWS_FIND(half, offset, to) /* bit by bit */ \
    "vmovdqa " offset "(%4), %%ymm" half "\n\tvpcmpeqq %%ymm4, %%ymm" half ", %%ymm5\n\tvmovmskpd %%ymm5, %k" to "\n\t"
#define ROWS_ADD(from, shift) "shll $" shift ", %k" from "\n\torl %k" from ", %k0\n\t"
#define ROWS_DEPTH(words) "btsl $" words ", %k0\n\ttzcntl %k0, %k2\n\tnegq %2\n\t"
#define ROWS_TURN(half, to) "vpermq $0x93, %%ymm" half ", %%ymm" to "\n\t"
#define ROWS_BLEND(half, offset, moved, before) \
    "vpblendd $3, %%ymm" before ", %%ymm" moved ", %%ymm" moved "\n\tvmovdqu " offset "(%3,%2,8), %%ymm7\n\t" \
    "vblendvpd %%ymm7, %%ymm" moved ", %%ymm" half ", %%ymm" half "\n\tvmovdqa %%ymm" half ", " offset "(%4)\n\t"

#define ROWS_INPUTS "r"(row_taken + ROW_WORDS_MAX), "r"(row), "m"(row_taken)

ROWS_INLINE uint32_t row_move_by_256(uint64_t *row, unsigned words)
{
    uint64_t found, other;

    if (words == 4)
        __asm__ volatile(ROWS_FIND("0", "0", "0") ROWS_DEPTH("4") ROWS_TURN("0", "5") ROWS_BLEND("0", "0", "5", "4")
                         : "=&r"(found), "+m"(*(uint64_t(*)[4])row), "=&r"(other) : ROWS_INPUTS : "cc");
    else if (words == 8)
        __asm__ volatile(ROWS_FIND("0", "0", "0") ROWS_FIND("1", "32", "2") ROWS_ADD("2", "4") ROWS_DEPTH("8")
                         ROWS_TURN("1", "5") ROWS_TURN("0", "6") ROWS_BLEND("1", "32", "5", "6") ROWS_BLEND("0", "0", "6", "4")
                         : "=&r"(found), "+m"(*(uint64_t(*)[8])row), "=&r"(other) : ROWS_INPUTS : "cc");
    else
        __asm__ volatile(ROWS_FIND("0", "0", "0") ROWS_FIND("1", "32", "2") ROWS_ADD("2", "4")
                         ROWS_FIND("2", "64", "2") ROWS_ADD("2", "8") ROWS_FIND("3", "96", "2") ROWS_ADD("2", "12") ROWS_DEPTH("16")
                         ROWS_TURN("3", "5") ROWS_TURN("2", "6") ROWS_BLEND("3", "96", "5", "6")
                         ROWS_TURN("1", "5") ROWS_BLEND("2", "64", "6", "5")
                         ROWS_TURN("0", "6") ROWS_BLEND("1", "32", "5", "6") ROWS_BLEND("0", "0", "6", "4")
                         : "=&r"(found), "+m"(*(uint64_t(*)[16])row), "=&r"(other) : ROWS_INPUTS : "cc");
    return (uint32_t)found;
}

/* ---- either of them ---- */

/* Sets the line for the next row_move. */
ROWS_INLINE void rows_take(enum qn_vectors with, uint64_t line)
{
    if (with == QN_VECTORS_AVX512)
        __asm__ volatile("vpbroadcastq %0, %%zmm17" : : "r"(line));
    else if (with == QN_VECTORS_AVX2)
        __asm__ volatile("vmovq %0, %%xmm4\n\tvpbroadcastq %%xmm4, %%ymm4" : : "r"(line));
}

/* words: 1, 2, 4, 8 or 16.  Returns a word whose lowest set bit has the number of the depth. */
ROWS_INLINE uint32_t row_move(enum qn_vectors with, uint64_t *row, unsigned words, uint64_t line)
{
    if (words >= 4 && with == QN_VECTORS_AVX512)
        return row_move_by_512(row, words);
    if (words >= 4 && with == QN_VECTORS_AVX2)
        return row_move_by_256(row, words);
    return 1u << (words == 2 ? row_move_two(row, line) : row_search(row, words, line));
}

#define row_depth(found) ((unsigned)__builtin_ctz(found))

/* ---- registers ----
 *
 * AVX-512 uses zmm16 to zmm19, k1 and k2.  AVX2 uses ymm0 to ymm7; since AVX instructions clear the bits above 256, these are saved, too, if
 * there are any (`wide`).  xsave and xrstor also restore which components are in use (XINUSE; SDM vol. 1, 13.6), even for xmm registers that
 * hold zero.  The bytes that the guest's own xsave stores depend on that, and so does the speed of its SSE instructions. */
#define ROWS_STATE_BYTES 4096u /* more than the standard form takes up to zmm31: 2688 (Intel), 2432 (AMD) */

enum { ROWS_STATE_SSE = 1 << 1, ROWS_STATE_AVX = 1 << 2, ROWS_STATE_MASKS = 1 << 5, ROWS_STATE_ZMM_HIGH = 1 << 6, ROWS_STATE_ZMM16 = 1 << 7 };

static uint8_t rows_saved[ROWS_STATE_BYTES] __attribute__((aligned(64), unused));

ROWS_INLINE uint32_t rows_components(enum qn_vectors with, bool wide)
{
    return with == QN_VECTORS_AVX512 ? ROWS_STATE_MASKS | ROWS_STATE_ZMM16
                                     : ROWS_STATE_SSE | ROWS_STATE_AVX | (wide ? ROWS_STATE_ZMM_HIGH : 0);
}

ROWS_INLINE void rows_begin(enum qn_vectors with, bool wide)
{
    if (with != QN_VECTORS_SCALAR)
        __asm__ volatile("xsave64 %0" : "+m"(rows_saved) : "a"(rows_components(with, wide)), "d"(0));
}

ROWS_INLINE void rows_end(enum qn_vectors with, bool wide)
{
    if (with != QN_VECTORS_SCALAR)
        __asm__ volatile("xrstor64 %0" : : "m"(rows_saved), "a"(rows_components(with, wide)), "d"(0));
}

#endif
