/* tests/unit/sim/plru.c - plru, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/plru.c"
#define DRAW(way) tree_bits(0)
#include "draw.h"

int main(void)
{
    begin(1);
    /* bits of nodes 1, 2, 3 are worth 2, 4, 8; set = the older half is the right one */
    step("A", 1, "A6* . . .");
    step("BCD", 3, "A0 B0 C0 D0*");
    step("A", 0, "A6* B6 C6 D6");
    step("E", 1, "A12 B12 E12* D12"); /* the right half is older, and in it C */
    step("D", 0, "A4 B4 E4 D4*");
    step("F", 1, "A2 F2* E2 D2");
    return done_testing();
}
