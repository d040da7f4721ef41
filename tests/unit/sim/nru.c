/* tests/unit/sim/nru.c - nru, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/nru.c"
#define DRAW(way) (unsigned)(set_state(0) >> way & 1)
#include "draw.h"

int main(void)
{
    begin(1);
    step("A", 1, "A1* . . .");
    step("BC", 2, "A1* B1* C1* .");
    step("D", 1, "A0 B0 C0 D1*");  /* all would be set: the others are cleared */
    step("B", 0, "A0 B1* C0 D1*");
    step("E", 1, "E1* B1* C0 D1*"); /* the first clear one */
    step("F", 1, "E0 B0 F1* D0");
    return done_testing();
}
