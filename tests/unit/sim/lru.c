/* tests/unit/sim/lru.c - lru, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/lru.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    begin(1);
    step("A", 1, "A1* . . .");
    step("BCD", 3, "A1 B2 C3 D4*");
    step("D", 0, "A1 B2 C3 D4*");  /* the newest: nothing changes */
    step("A", 0, "A5* B2 C3 D4");
    step("E", 1, "A5 E6* C3 D4");  /* B is the oldest */
    step("CF", 1, "A5 E6 C7 F8*");
    return done_testing();
}
