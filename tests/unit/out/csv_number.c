/*
 * Numbers of CSV cells, beside printf: values at all powers of ten, next to the middle between two texts, simple fractions as ratios
 * of counts are, and any bits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/csv/csv_cells.h"
#include "tap.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int is_right(double value)
{
    char got[QN_OUT_CSV_NUMBER], wanted[QN_OUT_CSV_NUMBER];
    snprintf(wanted, sizeof wanted, fabs(value) < 1e5 ? "%.6g" : "%.0f", value);
    size_t n = qn_out_csv_ratio(got, value);
    if (n == strlen(wanted) && memcmp(got, wanted, n) == 0)
        return 1;
    diag("%a: got %.*s, wanted %s", value, (int)n, got, wanted);
    return 0;
}

static int around(double value)
{
    return is_right(value) && is_right(nextafter(value, 0)) && is_right(nextafter(value, INFINITY)) && is_right(-value);
}

static int powers(void)
{
    int right = is_right(0) && is_right(-0.0);
    for (int e = -320; e < 308 && right; e++)
        right = around(pow(10, e)) && around(9.999995 * pow(10, e)) && around(5 * pow(10, e));
    return right;
}

/* The middle between two numbers of six digits, and its neighbours. */
static int middles(void)
{
    int right = 1;
    for (int i = 0; i < 200000 && right; i++) {
        double digits = (double)(100000 + draw() % 900000) + 0.5;
        right = around(digits * pow(10, -(int)(draw() % 12)));
    }
    return right;
}

static int fractions(void)
{
    int right = 1;
    for (int i = 0; i < 500000 && right; i++) {
        double a = (double)(draw() >> (draw() % 64)), b = (double)(draw() >> (draw() % 64));
        right = b == 0 || (is_right(100 * a / b) && is_right(a / 1000));
    }
    return right;
}

static int any_bits(void)
{
    int right = 1;
    for (int i = 0; i < 500000 && right; i++) {
        uint64_t bits = draw();
        double value;
        memcpy(&value, &bits, sizeof value);
        right = !isfinite(value) || is_right(value);
    }
    return right;
}

static int counts(void)
{
    int right = 1;
    for (int i = 0; i < 100000 && right; i++) {
        char got[QN_OUT_CSV_NUMBER], wanted[QN_OUT_CSV_NUMBER];
        int64_t count = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : i == 2 ? 0 : (int64_t)draw() >> (draw() % 64);
        snprintf(wanted, sizeof wanted, "%" PRId64, count);
        size_t n = qn_out_csv_count(got, count);
        right = n == strlen(wanted) && memcmp(got, wanted, n) == 0;
    }
    return right;
}

int main(void)
{
    ok(powers(), "ratios at powers of ten");
    ok(middles(), "... next to the middle between two texts");
    ok(fractions(), "... of counts");
    ok(any_bits(), "... of any bits");
    ok(counts(), "counts");
    return done_testing();
}
