/* loops.c - counted loops, nested, with trip counts 0 to 40: the plain backward branch, taken n - 1 times of n. */
#include "guest.h"

#define MAX_TRIPS 40

static NOINLINE uint64_t count_nested(unsigned outer, unsigned inner)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < outer; i++) {
        for (unsigned j = 0; j < inner; j++) {
            count++;
            HIDE(count);
        }
    }
    return count;
}

static NOINLINE uint64_t count_down(uint64_t n)
{
    uint64_t steps = 0;

    do {
        steps++;
        HIDE(steps);
    } while (n-- > 0);
    return steps;
}

/* Collatz: a loop whose end nobody predicts. */
static NOINLINE unsigned collatz_length(uint64_t n)
{
    unsigned length = 1;

    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        length++;
    }
    return length;
}

static int guest_main(void)
{
    uint64_t total = 0, longest = 0;

    for (unsigned outer = 0; outer < MAX_TRIPS; outer++)
        for (unsigned inner = 0; inner < MAX_TRIPS; inner++)
            total += count_nested(outer, inner);
    for (unsigned n = 1; n < 300; n++)
        if (collatz_length(n) > longest)
            longest = collatz_length(n);
    return EXPECT(total == 780 * 780 && longest == 128 && count_down(1000) == 1001);
}
