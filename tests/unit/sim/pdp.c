/* tests/unit/sim/pdp.c - pdp, step by step: for how many references to the set each line is still protected. */
#define POLICY_FILE "sim/policy/pdp.c"
#define SETS_WAYS 2
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    hosted_options = "pdp-distance=3";
    begin(1);
    step("A", 1, "A3 .");
    step("B", 1, "A2 B3");
    step("C", 1, "A1 B2");   /* bypasses */
    step("A", 0, "A3 B1");
    step("D", 1, "A2 B0");   /* bypasses */
    step("D", 1, "A1 D3");   /* B is no longer protected */
    step("C", 1, "A0 D2");
    step("D", 0, "A0 D3");   /* 0 stays 0 */

    /* Eight references: C and D come again at distance 2, A and B never do. */
    hosted_options = "pdp-period=8";
    begin(1);
    is_int(distance, 2, "at first as many as ways");
    step("ABCDCDC", 5, "D1 C2"); /* C bypasses; D takes the place of A, C of B */
    is_int(came_again[2], 3, "three at distance 2");
    is_int(sampled, 7, "of 7 references");
    is_int(best_distance(), 2, "so 2 it is");
    came_again[2] = 0;
    came_again[9] = 3;
    is_int(best_distance(), 9, "if they had come at 9, 9");
    return done_testing();
}
