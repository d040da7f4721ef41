/* tests/unit/sim/dip.c - dip, step by step: each line's place in the order of use. */
#define POLICY_FILE "sim/policy/dip.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

/* A reference to the k-th line of set 1, which leads bimodal insertion. */
static bool second(unsigned k) { return UNIT_OBJECT.ref((1 + 32ull * k) * LINE, 8, SIM_READ) & QN_UNIT_MISS; }

static void order_is(int64_t a, int64_t b, int64_t c, int64_t d, const char *what)
{
    const int64_t wanted[] = {a, b, c, d};

    for (unsigned way = 0; way < 4; way++)
        is_int(way_state(1, way), wanted[way], "%s: way %u", what, way);
}

int main(void)
{
    unsigned last = 0;

    begin(1); /* the only set leads LRU insertion */
    step("ABCD", 4, "A1 B2 C3 D4*");
    step("A", 0, "A5* B2 C3 D4");
    step("E", 1, "A5 E6* C3 D4");
    is_int(selector, 511 + 5, "each miss of it counts");

    begin(32);
    selector = 511;
    is_int(leader_of(0) == LEADS_FIRST && leader_of(1) == LEADS_SECOND && leader_of(2) == FOLLOWS, true, "sets 0 and 1 lead");
    for (unsigned k = 0; k < 4; k++)
        second(k);
    order_is(-1, -2, -3, -4, "each new line is before all others");
    is_int(second(0), false, "a use of the first");
    order_is(1, -2, -3, -4, "puts it last");
    second(4);
    order_is(1, -2, -3, -5, "the line that came last was the victim");
    is_int(level_settled(1, 0), true, "the last of the order is settled");
    is_int(level_settled(1, 3), false, "a line that was put first is not");
    is_int(selector, 511 - 5, "misses of set 1");
    for (unsigned k = 0; k < 3200; k++) {
        second(10 + k);
        for (unsigned way = 1; way < 4; way++)
            last += level_settled(1, way);
        way_state(1, 0) = ++set_state(1).last;
    }
    is_int(last > 60 && last < 140, true, "of 3200 new lines about 100 were put last: %u", last);

    selector = 600;
    UNIT_OBJECT.ref(2 * LINE, 8, SIM_READ);
    is_int(way_state(2, 0), -1, "set 2 follows set 1 where that missed less");
    selector = 500;
    UNIT_OBJECT.ref(3 * LINE, 8, SIM_READ);
    is_int(way_state(3, 0), 1, "and set 0 where that did");
    return done_testing();
}
