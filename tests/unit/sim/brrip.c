/* tests/unit/sim/brrip.c - brrip, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/brrip.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    begin(1);
    step("A", 1, "A3 . . .");
    step("A", 0, "A0* . . .");
    step("BCD", 3, "A0* B3 C3 D3");
    step("EFG", 3, "A0* G3 C3 D3"); /* new lines are the next victims */
    return done_testing();
}
