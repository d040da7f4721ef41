/* tests/unit/sim/eaf.c - eaf, step by step: each line's place in the order of use, and the filter. */
#define POLICY_FILE "sim/policy/eaf.c"
#define DRAW(way) (unsigned)(way_state(0, way).order + 50)
#include "draw.h"

static unsigned ones(void)
{
    unsigned n = 0;

    for (uint64_t i = 0; i < bits / 64; i++)
        n += (unsigned)__builtin_popcountll(filter[i]);
    return n;
}

int main(void)
{
    begin(4); /* 16 lines, 128 bits; A, E, I ... are in set 0 */
    is_int((int64_t)bits, 128, "8 bits for each line");
    step("AEIM", 4, "A49 E48 I47 M46"); /* 50 is 0: not known, each before all others */
    step("Q", 1, "A49 E48 I47 Q45");    /* M was first */
    is_int(filter_has(12 + 1), true, "M is in the filter");
    is_int(filter_has(16 + 1), false, "Q is not");
    is_int(ones() <= 4, true, "a line has four bits at most");
    step("M", 1, "A49 E48 I47 M51*");   /* comes back: last */
    is_int(filter_has(16 + 1), true, "Q was evicted for it");
    step("U", 1, "A49 E48 U44 M51*");
    step("A", 0, "A52* E48 U44 M51");
    is_int((int64_t)entered, 3, "three lines were evicted");
    for (unsigned k = 0; k < 13; k++)
        UNIT_OBJECT.ref((100ull + 4 * k) * LINE, 8, SIM_READ);
    is_int((int64_t)entered, 0, "after as many as the cache has lines the filter is empty");
    is_int(ones(), 0, "really");
    return done_testing();
}
