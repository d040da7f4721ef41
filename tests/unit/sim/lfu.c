/* tests/unit/sim/lfu.c - lfu, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/lfu.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    begin(1);
    hosted_options = "D1.lfu-max=3";
    begin(1);
    step("AAB", 2, "A2 B1 . .");
    step("CCD", 2, "A2 B1 C2 D1");
    step("E", 1, "A2 E1 C2 D1"); /* B and D are used least; B is first */
    step("AAAA", 0, "A3* E1 C2 D1"); /* the counter stops at 3 */
    step("EEF", 1, "A3* E3* C2 F1");
    return done_testing();
}
