/* branches.c - patterns for the conditional predictor: always, never, alternating, periods up to 12, random, and pairs
 * that depend on each other. */
#include "guest.h"

#define STEPS 3000

/* What a branch guards: hidden, or the compiler would put a conditional addition in its place. */
static inline void count_branch(unsigned *count)
{
    ++*count;
    HIDE(*count);
}

static NOINLINE unsigned take_pattern(uint64_t pattern, unsigned period)
{
    unsigned taken = 0;

    for (unsigned n = 0; n < STEPS; n++) {
        if (pattern >> n % period & 1)
            count_branch(&taken);
    }
    return taken;
}

static NOINLINE unsigned take_at_random(uint64_t seed, unsigned percent)
{
    unsigned taken = 0;

    for (unsigned n = 0; n < STEPS; n++) {
        if (guest_random(&seed) % 100 < percent)
            count_branch(&taken);
    }
    return taken;
}

/* The third branch is known once the first two are: history helps. */
static NOINLINE unsigned take_correlated(uint64_t seed)
{
    unsigned both = 0;

    for (unsigned n = 0; n < STEPS; n++) {
        uint32_t x = guest_random(&seed);
        unsigned a = 0, b = 0;

        if (x & 1)
            count_branch(&a);
        if (x & 2)
            count_branch(&b);
        if (a == b)
            count_branch(&both);
    }
    return both;
}

static int guest_main(void)
{
    unsigned taken = 0;

    for (unsigned period = 1; period <= 12; period++)
        taken += take_pattern(1, period);
    taken += take_pattern(0, 1) + take_pattern(0x5, 4) + take_pattern(0x3b, 7);
    return EXPECT(taken == 3000 + 1500 + 1000 + 750 + 600 + 500 + 429 + 375 + 334 + 300 + 273 + 250 + 1500 + 2143 &&
                  take_at_random(1, 0) == 0 && take_at_random(1, 100) == STEPS &&
                  take_at_random(1, 50) == take_at_random(1, 50) && take_correlated(9) == take_correlated(9));
}
