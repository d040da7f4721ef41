/* fp_flags.c - exception flags of x87 and SSE, and signals of those that are unmasked. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
static volatile int code;

static void on_fpe(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    code = info->si_code;
    siglongjmp(back, 1);
}

static void flags(const char *what)
{
    printf("%s:%s%s%s%s%s\n", what, fetestexcept(FE_INVALID) ? " invalid" : "", fetestexcept(FE_DIVBYZERO) ? " divbyzero" : "",
           fetestexcept(FE_OVERFLOW) ? " overflow" : "", fetestexcept(FE_UNDERFLOW) ? " underflow" : "",
           fetestexcept(FE_INEXACT) ? " inexact" : "");
    feclearexcept(FE_ALL_EXCEPT);
}

static void trapped(const char *what, int which, double (*operation)(double, double), double a, double b)
{
    feclearexcept(FE_ALL_EXCEPT);
    code = 0;
    if (!sigsetjmp(back, 1)) {
        feenableexcept(which);
        operation(a, b);
        printf("%s: no signal\n", what);
    } else {
        printf("%s: code %d\n", what, code);
    }
    fedisableexcept(FE_ALL_EXCEPT);
}

static double divide(double a, double b) { volatile double x = a, y = b; return x / y; }
static double multiply(double a, double b) { volatile double x = a, y = b; return x * y; }
static double divide_x87(double a, double b) { volatile long double x = a, y = b; x = x / y; return (double)x; }

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO};
    volatile double zero = 0, big = 1e308, small = 1e-308;
    volatile long double lzero = 0, lbig = 1e4900L;
    volatile int i;

    divide(1, 3), flags("1/3");
    divide(1, zero), flags("1/0");
    divide(zero, zero), flags("0/0");
    multiply(big, big), flags("big*big");
    multiply(small, small), flags("small*small");
    i = (int)big, (void)i, flags("(int)big");
    lbig = lbig * lbig, flags("long double overflow");
    lzero = 1.0L / lzero, flags("long double 1/0");
    sqrt(-big), flags("sqrt(-1)");
    multiply(2, 3), flags("2*3");
    sigaction(SIGFPE, &a, NULL);
    trapped("1/0", FE_DIVBYZERO, divide, 1, 0);
    trapped("0/0", FE_INVALID, divide, 0, 0);
    trapped("overflow", FE_OVERFLOW, multiply, 1e308, 1e308);
    trapped("underflow", FE_UNDERFLOW, multiply, 1e-308, 1e-308);
    trapped("inexact", FE_INEXACT, divide, 1, 3);
    trapped("x87 1/0", FE_DIVBYZERO, divide_x87, 1, 0);
    trapped("exact", FE_ALL_EXCEPT & ~FE_INEXACT, multiply, 2, 2);
    return 0;
}
