/*
 * Counts and ratios as digits. See csv_number.h.
 *
 * In:  2.6086956
 * Out: 2.6086956 * 10^5 = 260869.56, rounded 260870, written "2.6087"
 *
 * A value is scaled in 80 bits to six digits before the point; the relative error of the product is at most 2^-63. So its rounding is
 * certain, unless it is within DOUBT of the middle between two numbers. printf formats those values, and all that are not between
 * LEAST and MOST.
 */
#include "out/csv/csv_number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 6
#define LEAST 1e-4 /* %g writes what is less with an exponent */
#define MOST 1e5   /* from here on all digits before the point are wanted */
#define DOUBT 1e-6L

size_t qn_out_csv_count(char *to, int64_t count)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (count < 0)
        *--at = '-';
    size_t n = (size_t)(digits + sizeof digits - at);
    memcpy(to, at, n);
    return n;
}

/* digits has DIGITS of them, of which `whole` (at most 0 for values below 1) stand before the point. */
static size_t put_digits(char *to, uint32_t number, int whole)
{
    char digits[DIGITS];
    int n = DIGITS;
    size_t used = 0;
    for (int i = DIGITS; i-- > 0; number /= 10)
        digits[i] = (char)('0' + number % 10);
    while (n > whole && n > 1 && digits[n - 1] == '0')
        n--;
    if (whole <= 0) {
        to[used++] = '0';
        to[used++] = '.';
        for (int i = whole; i < 0; i++)
            to[used++] = '0';
    }
    for (int i = 0; i < n; i++) {
        if (i == whole && i > 0)
            to[used++] = '.';
        to[used++] = digits[i];
    }
    return used;
}

/* Formats a value; returns its length, 0 if the rounding is not certain. */
static size_t put_small(char *to, double value)
{
    static const long double powers[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L};
    int whole = value >= 1e4 ? 5 : value >= 1e3 ? 4 : value >= 1e2 ? 3 : value >= 1e1 ? 2 : value >= 1 ? 1 : 0;
    for (double bound = 0.1; whole <= 0 && value < bound; bound /= 10)
        whole--;
    if (whole < DIGITS - (int)(sizeof powers / sizeof *powers) + 1)
        return 0;
    long double scaled = (long double)value * powers[DIGITS - whole];
    uint32_t number = (uint32_t)scaled;
    long double rest = scaled - number;
    if (number < 100000 || fabsl(rest - 0.5L) < DOUBT)
        return 0;
    number += rest > 0.5L;
    return number < 1000000 ? put_digits(to, number, whole) : 0;
}

size_t qn_out_csv_ratio(char *to, double value)
{
    size_t n = 0;
    if (value == 0 && !signbit(value)) {
        *to = '0';
        return 1;
    }
    if (value >= LEAST && value < MOST)
        n = put_small(to, value);
    if (n == 0)
        n = (size_t)snprintf(to, QN_OUT_CSV_NUMBER, fabs(value) < MOST ? "%.6g" : "%.0f", value);
    return n;
}
