/* tests/unit/sim/fifo.c - fifo, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/fifo.c"
#define DRAW(way) set_state(0)
#include "draw.h"

int main(void)
{
    begin(1);
    step("A", 1, "A1* . . .");
    step("BCD", 3, "A0* B0* C0* D0*");
    step("AAA", 0, "A0* B0* C0* D0*");
    step("E", 1, "E1* B1* C1* D1*"); /* A came first, though it was used last */
    step("A", 1, "E2* A2* C2* D2*");
    return done_testing();
}
