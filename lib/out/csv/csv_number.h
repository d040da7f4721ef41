/*
 * Numbers of CSV cells as text, without printf where that gives the same.
 *
 * In:  -12, 0.0243013..., 123456.7
 * Out: "-12", "0.0243013", "123457"
 */
#ifndef QN_OUT_CSV_NUMBER_H
#define QN_OUT_CSV_NUMBER_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest of them, and more than enough for the longest count. */
enum { QN_OUT_CSV_NUMBER = DBL_MAX_10_EXP + 10 };

/* A count in decimal; returns its length.  No NUL byte is put behind it. */
size_t qn_out_csv_count(char *to, int64_t count);

/* A finite value: six significant digits as printf's %.6g has them, but all digits before the point.  Returns the length. */
size_t qn_out_csv_ratio(char *to, double value);

#endif
