/* long_double.c - 80-bit arithmetic: digits and exponents that a double does not have. */
#include <float.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    volatile long double x = 1.0L, tiny = LDBL_MIN / 4, sum = 0;

    for (int i = 1; i <= 60; i++)
        x = x * 1.1L + 1.0L / (long double)i;
    for (int i = 1; i <= 1000; i++)
        sum += sqrtl((long double)i) * sinl(x + (long double)i) / expl((long double)(i % 7));
    printf("%.21Lg %.21Lg %La\n", x, sum, x);
    printf("%La %La %La\n", 1.0L + LDBL_EPSILON, LDBL_MAX, tiny);
    printf("%.21Lg %.21Lg %.21Lg\n", powl(2.0L, 16000.5L), atan2l(x, sum), fmodl(1e4000L, x));
    printf("%lld\n", llrintl(9007199254740993.0L)); /* 2^53 + 1 */
    return 0;
}
