/*
 * Reads numbers in texts that come from outside.
 *
 * In:  "-12 x"
 * Out: -12, and the rest of the text: " x"
 *
 * Invariant: no blanks, no plus sign, only base ten; a number that does not fit is refused.
 */
#ifndef QN_TEXT_DIGITS_H
#define QN_TEXT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

static inline int qn_text_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static inline int qn_text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads digits, at most `limit`. Returns where they end; NULL: no digit, or the number is larger. */
static inline const char *qn_text_parse_digits(const char *p, uint64_t limit, uint64_t *out)
{
    if (!qn_text_is_digit(*p))
        return NULL;
    uint64_t value = 0;
    /* 18 digits cannot overflow; every further digit is checked. */
    for (int i = 0; i < 18 && qn_text_is_digit(*p); i++, p++)
        value = value * 10 + (uint64_t)(*p - '0');
    for (; qn_text_is_digit(*p); p++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return NULL;
    *out = value;
    return value <= limit ? p : NULL;
}

/* Reads digits with or without a minus sign, -INT64_MAX to INT64_MAX. Returns where they end, or NULL. */
static inline const char *qn_text_parse_integer(const char *p, int64_t *out)
{
    uint64_t magnitude;
    int negative = *p == '-';
    p = qn_text_parse_digits(p + negative, INT64_MAX, &magnitude);
    if (!p)
        return NULL;
    *out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return p;
}

#endif
