/* tests/unit/sim/random.c - random, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/random.c"
#define DRAW(way) 0
#include "draw.h"

int main(void)
{
    begin(1);
    uint64_t state = sim_random_seed(1);
    char wanted[64] = "A0* B0* C0* D0*";

    step("ABCD", 4, wanted);
    step("ABCDDCBA", 0, wanted);
    for (char line = 'E'; line < 'M'; line++) { /* the victims are those of the documented generator */
        char refs[2] = {line, 0};

        wanted[4 * ((sim_random_next(&state) >> 32) * 4 >> 32)] = line;
        step(refs, 1, wanted);
    }
    return done_testing();
}
