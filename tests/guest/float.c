/* float.c - scalar SSE in single and double precision, conversions to and from integers, square roots, comparisons,
 * and long double, which is x87 with operands of 10 bytes. */
#include "guest.h"

#define COUNT 800

static float singles[COUNT];
static double doubles[COUNT];
static long double extended[COUNT];

static NOINLINE void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        singles[i] = (float)i * 0.5f;
        doubles[i] = (double)singles[i] + 0.25;
        extended[i] = (long double)doubles[i] * 2;
    }
}

static NOINLINE int64_t add_up(void)
{
    float f = 0;
    double d = 0;
    long double e = 0;

    for (int i = 0; i < COUNT; i++) {
        f += singles[i];
        d += doubles[i];
        e += extended[i];
    }
    return (int64_t)f + (int64_t)d + (int64_t)e;
}

static NOINLINE double square_root(double x)
{
    __asm__("sqrtsd %0, %0" : "+x"(x));
    return x;
}

static NOINLINE double newton_root(double x)
{
    double guess = x;

    for (int i = 0; i < 12; i++)
        guess = (guess + x / guess) / 2;
    return guess;
}

static NOINLINE int count_close_roots(void)
{
    int close = 0;

    for (int i = 1; i < COUNT; i++) {
        double difference = square_root(doubles[i]) - newton_root(doubles[i]);

        close += difference < 1e-6 && difference > -1e-6;
    }
    return close;
}

static NOINLINE int64_t factorial(int n)
{
    long double product = 1;

    for (int i = 2; i <= n; i++)
        product *= i;
    return (int64_t)product;
}

static int guest_main(void)
{
    fill();
    return EXPECT(add_up() == 159800 + 160000 + 320000 && count_close_roots() == COUNT - 1 &&
                  factorial(20) == 2432902008176640000);
}
