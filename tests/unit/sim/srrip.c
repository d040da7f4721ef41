/* tests/unit/sim/srrip.c - srrip, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/srrip.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    begin(1);
    step("A", 1, "A2 . . .");
    step("A", 0, "A0* . . .");
    step("BCD", 3, "A0* B2 C2 D2");
    step("E", 1, "A1 E2 C3 D3"); /* none is distant: all age by one, B goes first */
    step("A", 0, "A0* E2 C3 D3");
    step("FG", 2, "A0* E2 F2 G2"); /* the scan leaves A alone */
    return done_testing();
}
