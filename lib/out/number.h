/*
 * Numbers as the annotators print them.
 *
 * In:  -1234567; 1 of 3; 0.1
 * Out: "-1,234,567"; "33.3"; "0.1"
 *
 * Invariants: results are NUL-terminated in the caller's room; each function returns the length.
 * Rounding is that of printf on the double nearest to the quotient, ties as binary has them.
 */
#ifndef QN_OUT_NUMBER_H
#define QN_OUT_NUMBER_H

#include <stdint.h>

/* Room for "-9,223,372,036,854,775,808". */
enum { QN_OUT_COUNT_MAX = 32 };
/* Room for a percentage: the largest is 100 * 2^63 with one decimal. */
enum { QN_OUT_PERCENT_MAX = 48 };

/* Decimal digits with a comma before each group of three. */
int qn_out_commify(char to[QN_OUT_COUNT_MAX], int64_t value);

/* 100 * count / total as a double. total != 0. */
double qn_out_percent(int64_t count, int64_t total);

/* A value with 1 or 2 decimals, as printf("%.*f"). */
int qn_out_fixed(char to[QN_OUT_PERCENT_MAX], double value, int decimals);

/* The shortest decimal that reads back as the same double, always with a point or an exponent:
 * "0.1", "20.0", "1e-05" (Python's repr, which the modern cg_annotate shows). */
int qn_out_shortest(char to[QN_OUT_PERCENT_MAX], double value);

#endif
