/* tests/unit/sim/bimodal.c - two-bit counters: a prediction changes after two mispredicts. */
#define PREDICTOR_FILE "sim/bpred/bimodal.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc) { return text("%u", counters[pc & low_bits(bits)]); }

int main(void)
{
    begin("bits=4");
    step(5, "TTT", "xx.", "3");            /* 0 1 2 3: taken from 2 on */
    step(5, "TTTNTTTN", "...x...x", "2");  /* a loop of four: one wrong each time round */
    step(5, "NNN", "x..", "0");            /* 2 -> 1 -> 0, and stays */
    step(5, "TNTN", "x.x.", "0");          /* 0 and 1 in turn: half of them wrong */
    step(21, "TT", "xx", "2");             /* 21 = 5 + 16: the same counter */
    step(5, "T", ".", "3");
    is_int(PREDICTOR_BITS, 32, "storage in bits");
    return done_testing();
}
