/* recursion.c - calls and returns, deep and bushy: Fibonacci, Ackermann, mutual recursion.  Every call is a Dw, every
 * return a Dr, and the stack walks over cache lines both ways. */
#include "guest.h"

static NOINLINE uint64_t fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static NOINLINE unsigned is_odd(unsigned n);

static NOINLINE unsigned is_even(unsigned n)
{
    unsigned result = n == 0 ? 1 : is_odd(n - 1);

    HIDE(result); /* no tail call */
    return result;
}

static NOINLINE unsigned is_odd(unsigned n)
{
    unsigned result = n == 0 ? 0 : is_even(n - 1);

    HIDE(result);
    return result;
}

static NOINLINE unsigned hanoi_moves(unsigned discs)
{
    return discs == 0 ? 0 : hanoi_moves(discs - 1) + 1 + hanoi_moves(discs - 1);
}

static int guest_main(void)
{
    return EXPECT(fibonacci(20) == 6765 && ackermann(2, 60) == 123 && is_even(1000) && is_odd(777) &&
                  hanoi_moves(12) == 4095);
}
