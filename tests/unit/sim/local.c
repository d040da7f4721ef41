/* tests/unit/sim/local.c - local two-level: history of the branch, the counter that it chooses. */
#define PREDICTOR_FILE "sim/bpred/local.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    uint32_t history = histories[pc & low_bits(branch_bits)];

    return text("%s -> %u", binary(history, history_bits), counters[history]);
}

int main(void)
{
    begin("local-branches=2,local-history=2");
    /* Histories 00 01 11 begin, each with a counter of its own at 0. */
    step(1, "T", "x", "01 -> 0");
    step(1, "T", "x", "11 -> 0");
    step(1, "N", ".", "10 -> 0");
    /* T T N again and again: after 01 and 10 comes T, after 11 comes N; 01 has seen one T, 10 none. */
    step(1, "TTN", "xx.", "10 -> 1");
    step(1, "TTN", "x..", "10 -> 2");
    step(1, "TTNTTNTTN", ".........", "10 -> 3");
    /* Another branch has a history of its own, 00 as yet, but the counters are shared: 00 has seen one T. */
    step(2, "N", ".", "00 -> 0");
    step(2, "T", "x", "01 -> 3");
    step(2, "T", ".", "11 -> 0");
    is_int(PREDICTOR_BITS, 2 * 4 + 2 * 4, "storage in bits");
    return done_testing();
}
