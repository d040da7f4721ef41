/* numbers.c - arithmetic whose last bit is printed: float, double, long double, integers, rounding modes, FP exceptions.
 * Also built static, static-PIE and with musl, where start-up, TLS and IFUNC resolvers differ. */
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 4096

static volatile double one = 1.0, three = 3.0, zero = 0.0;
static _Thread_local int in_tls = 17;

static void print_bits(const char *name, double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    printf("%s %016" PRIx64 " %.17g\n", name, bits, d);
}

static void show_rounding(void)
{
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        print_bits("third", one / three);
        print_bits("rint", rint(-2.5 * one));
        printf("%.20Lg\n", (long double)one / three);
    }
    fesetround(FE_TONEAREST);
}

static void show_exceptions(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    print_bits("divided by zero", one / zero);
    printf("%d\n", !!fetestexcept(FE_DIVBYZERO));
    print_bits("inexact", one / three);
    printf("%d %d\n", !!fetestexcept(FE_INEXACT), !!fetestexcept(FE_INVALID));
    print_bits("not a number", sqrt(-one) != sqrt(-one));
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    return x ^ (x >> 29);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    double *v = malloc(N * sizeof *v), sum = 0;
    float f = 1;
    long double l = 1;
    char text[64], *copy;
    time_t when = 1000000000;

    for (int i = 0; i < N; i++) {
        v[i] = sin(i) * exp(cos(i)) + (double)(mix((uint64_t)i) >> 40);
        f = f * 1.0001f + (float)i / 3;
        l = l / 3 + sinl(i);
    }
    qsort(v, N, sizeof *v, by_value);
    for (int i = 0; i < N; i++)
        sum += v[i];
    print_bits("sum", sum);
    print_bits("middle", v[N / 2]);
    printf("%.9g %.21Lg %La %s\n", (double)f, l, l, strtod("0x1.8p3", NULL) == 12 ? "yes" : "no");
    show_rounding();
    show_exceptions();
    for (int i = 0; i < 3; i++)
        snprintf(text + i * 8, 16, "%08x", (unsigned)mix((uint64_t)i + 99));
    copy = strdup(text);
    printf("%zu %s %d %s", strlen(copy), strchr(copy, 'a') ? "a" : "no a", strcmp(copy, "8"), asctime(gmtime(&when)));
    printf("%d %" PRIu64 "\n", ++in_tls, mix(1) / 7 % 1000);
    free(copy);
    free(v);
    return 42;
}
