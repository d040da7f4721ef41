/*
 * Numbers as text. See number.h.
 *
 * In:  1234, 12.35, 20
 * Out: "1,234", "12.3" (12.35 is a little less than it says), "20.0"
 */
#include "out/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int qn_out_commify(char to[QN_OUT_COUNT_MAX], int64_t value)
{
    char digits[QN_OUT_COUNT_MAX];
    int at = QN_OUT_COUNT_MAX, group = 0;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        if (group == 3) {
            digits[--at] = ',';
            group = 0;
        }
        digits[--at] = (char)('0' + left % 10);
        group++;
    } while (left /= 10);
    if (value < 0)
        digits[--at] = '-';
    int n = QN_OUT_COUNT_MAX - at;
    memcpy(to, digits + at, (size_t)n);
    to[n] = '\0';
    return n;
}

double qn_out_percent(int64_t count, int64_t total)
{
    return (double)((__int128)count * 100) / (double)total;
}

/* A magnitude in units of 1/scale, rounded; -1 if it is so near to the middle between two numbers that only exact
 * arithmetic can decide, or too large for this shortcut. */
static int64_t quick_round(double magnitude, int scale)
{
    const double largest = 1e9, edge = 1e-3;
    if (!(magnitude < largest))
        return -1;
    double scaled = magnitude * scale;
    int64_t floor = (int64_t)scaled;
    double rest = scaled - (double)floor;
    if (rest > 0.5 - edge && rest < 0.5 + edge)
        return -1;
    return floor + (rest > 0.5);
}

int qn_out_fixed(char to[QN_OUT_PERCENT_MAX], double value, int decimals)
{
    int64_t units = quick_round(fabs(value), decimals == 1 ? 10 : 100);
    if (units < 0)
        return snprintf(to, QN_OUT_PERCENT_MAX, "%.*f", decimals, value);
    char digits[QN_OUT_PERCENT_MAX];
    int at = QN_OUT_PERCENT_MAX;
    for (int i = 0; i < decimals; i++, units /= 10)
        digits[--at] = (char)('0' + units % 10);
    digits[--at] = '.';
    do
        digits[--at] = (char)('0' + units % 10);
    while (units /= 10);
    if (signbit(value))
        digits[--at] = '-';
    int n = QN_OUT_PERCENT_MAX - at;
    memcpy(to, digits + at, (size_t)n);
    to[n] = '\0';
    return n;
}

/* Significant digits that read back as `value`: at most 17 are ever needed. */
static int shortest_digits(double value)
{
    for (int n = 1; n < 17; n++) {
        char text[QN_OUT_PERCENT_MAX];
        snprintf(text, sizeof text, "%.*e", n - 1, value);
        if (strtod(text, NULL) == value)
            return n;
    }
    return 17;
}

int qn_out_shortest(char to[QN_OUT_PERCENT_MAX], double value)
{
    int digits = shortest_digits(value);
    char text[QN_OUT_PERCENT_MAX];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    int exponent = atoi(strchr(text, 'e') + 1);
    /* repr changes to an exponent below 1e-4 and from 1e16 on. */
    if (value != 0 && (exponent < -4 || exponent >= 16))
        return snprintf(to, QN_OUT_PERCENT_MAX, "%s", text);
    int decimals = digits - 1 - exponent;
    return snprintf(to, QN_OUT_PERCENT_MAX, "%.*f", decimals < 1 ? 1 : decimals, value);
}
