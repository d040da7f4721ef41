/* tests/unit/sim/loop.c - loop: past/present, confidence, age of the branch's entry, and its counter in the bimodal table. */
#define PREDICTOR_FILE "sim/bpred/loop.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    branchsim_BC_predict(pc);
    if (!found)
        return text("none %u", bimodal[pc & low_bits(bits)]);
    return text("%u/%u sure %u age %u, %u", found->past, found->present, found->confidence, found->age, bimodal[pc & low_bits(bits)]);
}

int main(void)
{
    begin("loop-sets=1,bits=6");
    step(21, "TTT", "xx.", "none 3");
    step(21, "N", "x", "0/0 sure 0 age 255, 2");      /* the end: an entry */
    step(21, "TTTN", "...x", "4/0 sure 0 age 255, 2");
    step(21, "TTTN", "...x", "4/0 sure 1 age 255, 2");
    step(21, "TTTNTTTN", "...x...x", "4/0 sure 3 age 255, 2");
    step(21, "TTTN", "....", "4/0 sure 3 age 255, 2"); /* it knows when; its age is at its most */
    step(21, "TTTT", "...x", "0/0 sure 0 age 0, 3");   /* one more round */
    step(21, "TTN", "..x", "3/0 sure 0 age 0, 2");
    step(21, "TN", ".x", "0/0 sure 0 age 0, 2");       /* a shorter run; loops of two rounds are not kept */
    step(21, "TN", ".x", "0/0 sure 0 age 0, 2");

    /* Not sure yet, and a run is longer: what was known is forgotten at once. */
    step(21, "TTTN", "...x", "4/0 sure 0 age 0, 2");
    step(21, "TTTTTTN", "......x", "7/0 sure 0 age 0, 2");

    /* Of the four ways of a set the first free one is taken; then ages fall. */
    begin("loop-sets=1,bits=6");
    for (uint64_t pc = 3; pc <= 11; pc += 2)
        step(pc, "TTTN", "xx.x", pc < 11 ? "0/0 sure 0 age 255, 2" : "none 2");
    is_int(loops[4].tag, 1, "branch 3 in way 0 of set 1");
    is_int(loops[7].age, 254, "all four ages have fallen");
    loops[5].age = 0;
    step(11, "TTTN", "...x", "0/0 sure 0 age 255, 2");
    is_int(loops[5].tag, 5, "branch 11 in the way whose age is 0");
    is_int(PREDICTOR_BITS, 2 * 4 * 52 + 2 * 64, "storage in bits");
    return done_testing();
}
