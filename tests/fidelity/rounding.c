/* rounding.c - the four rounding modes in float, double, long double and in conversions; flush to zero. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <xmmintrin.h>

static volatile float f1 = 1, f3 = 3;
static volatile double d1 = 1, d3 = 3, tiny = 1e-310;
static volatile long double l1 = 1, l3 = 3;

int main(void)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        printf("%a %a %a %La %La\n", (double)(f1 / f3), d1 / d3, -d1 / d3, l1 / l3, -l1 / l3);
        printf("%ld %ld %ld %g %g %a\n", lrint(2.5), lrint(-2.5), lrintl(0.5L), rint(3.5), nearbyint(-0.7), (double)(float)d3 / (double)f3);
        printf("%.3f %.3f %.2Lf\n", 0.0625 / 100, 2.5 / 1000, l1 / l3);
    }
    fesetround(FE_TONEAREST);
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zeros */
    printf("%a %a\n", tiny * 1.0, d1 + tiny);
    return 0;
}
