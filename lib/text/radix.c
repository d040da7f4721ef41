/*
 * Least-significant-byte radix sort. See radix.h.
 *
 * In:  {3,a} {1,b} {3,c}
 * Out: {1,b} {3,a} {3,c}
 *
 * A byte in which all keys agree costs nothing, so keys made of two small ranks take a few passes.
 */
#include "text/radix.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64 };

static int is_sorted(const struct qn_text_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (keys[i - 1].key > keys[i].key)
            return 0;
    return 1;
}

static uint64_t differing_bits(const struct qn_text_key *keys, size_t count)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= keys[i].key ^ keys[0].key;
    return differ;
}

static void sort_by_digit(const struct qn_text_key *from, struct qn_text_key *to, size_t count,
                          int shift)
{
    size_t start[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        start[from[i].key >> shift & (DIGITS - 1)]++;
    size_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        size_t n = start[d];
        start[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[start[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void qn_text_sort_keys(struct qn_text_key *keys, size_t count)
{
    if (is_sorted(keys, count))
        return;
    struct qn_text_key *other = QN_NEEDED(malloc(count * sizeof *other));
    struct qn_text_key *from = keys, *to = other;
    uint64_t differ = differing_bits(keys, count);
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        sort_by_digit(from, to, count, shift);
        struct qn_text_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
    free(other);
}
