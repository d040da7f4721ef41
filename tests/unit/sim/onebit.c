/* tests/unit/sim/onebit.c - the last outcome: each change of direction costs one mispredict. */
#define PREDICTOR_FILE "sim/bpred/onebit.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc) { return text("%u", last[pc & low_bits(bits)]); }

int main(void)
{
    begin("bits=4");
    step(5, "NN", "..", "0");              /* at first: not taken */
    step(5, "TT", "x.", "1");
    step(5, "NTN", "xxx", "0");
    step(5, "TTTNTTTN", "x..xx..x", "0");  /* a loop of four: two wrong each time round */
    step(21, "T", "x", "1");               /* 21 = 5 + 16: the same entry */
    step(5, "T", ".", "1");
    is_int(PREDICTOR_BITS, 16, "storage in bits");
    return done_testing();
}
