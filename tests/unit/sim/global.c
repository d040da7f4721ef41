/* tests/unit/sim/global.c - global two-level: the history of all branches, and the counter of history and branch. */
#define PREDICTOR_FILE "sim/bpred/global.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    return text("%s %s -> %u", binary(history, history_bits), binary(pc, branch_bits), *counter_of(pc));
}

int main(void)
{
    begin("global-history=2,global-branches=1");
    step(0, "T", "x", "01 0 -> 0");
    step(1, "T", "x", "11 1 -> 0");
    /* Branch 1 goes as branch 0 went: with enough turns 00 -> N, 01 -> T are known apart. */
    step(0, "N", ".", "10 0 -> 0");
    step(1, "N", ".", "00 1 -> 0");
    step(0, "T", "x", "01 0 -> 0");        /* second T after 00 for branch 0: its counter is 2 now */
    step(1, "T", "x", "11 1 -> 0");        /* second T after 01 for branch 1 */
    step(0, "N", ".", "10 0 -> 0");
    step(1, "N", ".", "00 1 -> 0");
    step(0, "T", ".", "01 0 -> 0");
    step(1, "T", ".", "11 1 -> 0");
    is_int(PREDICTOR_BITS, 2 + 2 * 8, "storage in bits");
    return done_testing();
}
