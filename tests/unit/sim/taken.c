/* tests/unit/sim/taken.c - always taken: nothing is learned. */
#define PREDICTOR_FILE "sim/bpred/taken.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc) { return text("%s", pc ? "no state" : ""); }

int main(void)
{
    begin("");
    step(5, "TTT", "...", "no state");
    step(5, "NNN", "xxx", "no state");
    step(6, "TNTN", ".x.x", "no state");
    return done_testing();
}
