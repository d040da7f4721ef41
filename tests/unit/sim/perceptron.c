/* tests/unit/sim/perceptron.c - a perceptron: bias, then a weight per outcome, the latest first; the sum decides.  Trained when
 * wrong or when the sum is not above the threshold, 1.93 h + 14 = 17 for a history of 2. */
#define PREDICTOR_FILE "sim/bpred/perceptron.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    const int8_t *w = weights_of(pc);

    return text("%d %d %d, history %s, sum %d", w[0], w[1], w[2], binary(history, history_bits), (branchsim_BC_predict(pc), sum));
}

int main(void)
{
    begin("perceptrons=1,perceptron-history=2");
    is_int(threshold, 17, "threshold");
    /* All zero: the sum is 0, which is "taken".  Before the first branch the history counts as not taken, -1 -1. */
    step(1, "T", ".", "1 -1 -1, history 01, sum 1");   /* bias up; both inputs were -1: down.  1 -1 +1 */
    step(1, "N", "x", "0 -2 0, history 10, sum 2");    /* inputs +1 -1 against: bias -1, -1, +1.  0 +2 +0 */
    step(1, "T", ".", "1 -3 1, history 01, sum -3");   /* inputs -1 +1 */
    step(1, "N", ".", "0 -4 2, history 10, sum 6");
    /* Taken and not in turn is as easy as always taken: sums of 6 -7 10 -11 14 -15 train, each makes both weights larger. */
    step(1, "TNTNTN", "......", "0 -10 8, history 10, sum 18");
    step(1, "TNTN", "....", "0 -10 8, history 10, sum 18"); /* above 17: nothing is learned any more */
    step(0, "", "", "0 0 0, history 10, sum 0");         /* the other perceptron */
    is_int(PREDICTOR_BITS, 8 * 3 * 2 + 2, "storage in bits");
    return done_testing();
}
