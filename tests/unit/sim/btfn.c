/* tests/unit/sim/btfn.c - backward taken, forward not taken: the direction of the jump is all that counts. */
#define PREDICTOR_FILE "sim/bpred/btfn.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc) { return text("%s", pc && sim_branch_backward ? "backward" : "forward"); }

int main(void)
{
    begin("");
    sim_branch_backward = true; /* the end of a loop */
    step(5, "TTTTN", "....x", "backward");
    sim_branch_backward = false; /* an if */
    step(5, "NNTN", "..x.", "forward");
    return done_testing();
}
