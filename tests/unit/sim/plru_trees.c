/* tests/unit/sim/plru_trees.c - plru with 6 ways, three trees of two: the set beside each access. */
#define POLICY_FILE "sim/policy/plru.c"
#define DRAW(way) way_state(0, (way) % 2 ? (way) : (way) + 1)
#define SETS_WAYS 6
#include "draw.h"

int main(void)
{
    begin(1);
    /* the number is that of the tree's one node: 1 = the older way is the right one */
    step("ABCDEF", 6, "A0 B0 C0 D0 E0 F0*");
    step("A", 0, "A1* B1 C0 D0 E0 F0");
    step("G", 1, "A1 B1 G1* D1 E0 F0");  /* C and D are in the tree used longest ago; C is the older */
    step("H", 1, "A1 B1 G1 D1 H1* F1");
    step("I", 1, "A0 I0* G1 D1 H1 F1");  /* B, though D and F were used before it: their trees were not */
    step("D", 0, "A0 I0 G0 D0* H1 F1");
    step("J", 1, "A0 I0 G0 D0 H0 J0*");
    return done_testing();
}
