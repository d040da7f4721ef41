/* tests/unit/sim/mpp.c - multiperspective perceptron: the sum, the threshold, and the size of the weight of the first table that the branch uses. */
#define PREDICTOR_FILE "sim/bpred/mpp.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    branchsim_BC_predict(pc);
    return text("%d %d %s%u", sum, threshold, found[0]->minus[sign_of(pc)] ? "-" : "", found[0]->size);
}

/* How often the branch is predicted wrong: the outcomes are those of `of(i)`, behind `others` branches of which the first `random` follow no rule. */
static unsigned wrong_of(unsigned (*of)(unsigned i), unsigned others, unsigned random)
{
    unsigned wrong = 0;
    uint64_t noise = 1;

    for (unsigned i = 0; i < 3000; i++) {
        for (unsigned k = 0; k < others; k++) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            branch(1000 + 16 * k, k >= random || noise >> 63 ? 'T' : 'N');
        }
        wrong += branch(7, of(i) ? 'T' : 'N') == 'x' && i >= 2000;
    }
    return wrong;
}

static unsigned alternates(unsigned i) { return i % 2; }
static unsigned third(unsigned i) { return i % 3 == 0; }
static unsigned copies(unsigned i) { return (void)i, history_bit(29); }

int main(void)
{
    begin("");
    is_int(PREDICTOR_BITS, 66993, "storage in bits");
    is_int(sign_of(1), 1, "a bit of the address's hash");
    is_int(sign_of(3), 0, "  of another");
    step(1, "", "", "-5 10 -0");            /* (-5 - 16) * 0.245 */
    step(1, "T", "x", "0 10 0");
    is_int(wrong_of(alternates, 0, 0), 0, "by turns");
    is_int(wrong_of(third, 0, 0), 0, "every third");
    is_int(wrong_of(third, 5, 5) < 30, 1, "every third, behind five that follow no rule: its own outcomes");
    is_int(wrong_of(copies, 31, 2) < 20, 1, "as the one 30 branches before, which follows no rule");

    begin("mpp-entries=100");
    is_int(PREDICTOR_BITS, 100 * 111 + 150 + 496 + 119 + 528 + 496 + 32 + 15, "storage in bits of smaller tables");

    /* Loop counters: backward taken, forward not taken. */
    sim_branch_backward = true;
    backward_loop = forward_loop = 0;
    branch(9, 'T'), branch(9, 'T');
    is_int(backward_loop, 2, "two rounds");
    branch(9, 'N');
    is_int(backward_loop, 0, "the end of the loop");
    sim_branch_backward = false;
    branch(9, 'N'), branch(9, 'N'), branch(9, 'N');
    is_int(forward_loop, 3, "three tests of a chain");
    branch(9, 'T');
    is_int(forward_loop, 0, "one held");

    /* Others' branches enter the outcomes and the path, nothing else. */
    branchsim_BC_path(8, 0, SIM_REF_CALL);
    is_int(history_bit(0), 1, "a call at 8: bit 2 is clear");
    branchsim_BC_path(12, 0, SIM_REF_RETURN);
    is_int(history_bit(0), 0, "a return at 12: it is set");
    is_int(path[newest] >> 1, 12, "  in the path");
    is_int((int64_t)recent[0], 9, "  not in the order of branches");
    return done_testing();
}
