/* tests/unit/sim/gshare.c - gshare: history, index = address xor history (in the high bits), counter. */
#define PREDICTOR_FILE "sim/bpred/gshare.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    return text("%s %s -> %u", binary(history, history_bits), binary((uint64_t)(counter_of(pc) - counters), bits), *counter_of(pc));
}

int main(void)
{
    begin("bits=4,gshare-history=2");
    step(5, "", "", "00 0101 -> 0");
    step(5, "T", "x", "01 0001 -> 0");     /* 0101 xor 01.. */
    step(5, "T", "x", "11 1001 -> 0");     /* 0101 xor 11.. */
    step(5, "T", "x", "11 1001 -> 1");
    step(5, "TT", "x.", "11 1001 -> 3");
    /* Branch 9 with the same history goes elsewhere: 1001 xor 11.. = 0101, which branch 5 used with history 00. */
    step(9, "", "", "11 0101 -> 1");
    step(9, "T", "x", "11 0101 -> 2");
    begin("bits=4,gshare-history=4");
    history = 0;
    step(0, "TTTTTTTTT", "xxxxxx...", "1111 1111 -> 3"); /* five histories on the way, the last needs two */
    is_int(PREDICTOR_BITS, 4 + 2 * 16, "storage in bits");
    return done_testing();
}
