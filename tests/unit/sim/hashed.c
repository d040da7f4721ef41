/* tests/unit/sim/hashed.c - hashed perceptron: the weights that the branch uses now, of each table. */
#define PREDICTOR_FILE "sim/bpred/hashed.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    unsigned said = branchsim_BC_predict(pc);

    return text("%d %d %d -> %c", *found[0], *found[1], *found[2], said ? 'T' : 'N');
}

int main(void)
{
    begin("hashed-tables=3,hashed-bits=4,hashed-segment=2");
    is_int(threshold, 17, "threshold of two segments: 3.86 + 14");
    step(0, "", "", "0 0 0 -> T");
    step(0, "T", ".", "1 0 1 -> T");
    step(0, "N", "x", "0 0 0 -> T");
    step(0, "T", ".", "1 -1 0 -> T");
    step(0, "N", "x", "0 1 0 -> T");
    step(0, "TN", "..", "0 2 1 -> T");

    /* A branch that is taken if the last two outcomes differ: no perceptron of single outcomes learns it. */
    begin("hashed-tables=2,hashed-bits=4,hashed-segment=2");
    history = 0;
    unsigned wrong = 0;
    for (unsigned i = 0; i < 100; i++) {
        static const char noise[] = "TTNTNNNTTTNTN";
        char a = noise[i % 13], b = noise[i * 7 % 13];

        branch(1, a);
        branch(2, b);
        wrong += branch(3, a == b ? 'N' : 'T') == 'x' && i >= 20;
    }
    is_int(wrong, 0, "the exclusive or of two branches is learnt");

    begin("hashed-tables=3,hashed-bits=4,hashed-segment=2");
    history = 0;
    for (unsigned i = 0; i < 300; i++)
        branch(0, 'T');
    step(0, "", "", "8 6 4 -> T"); /* 18 is beyond the threshold; on the way other histories had other weights */
    for (unsigned t = 0; t < 3; t++)
        *found[t] = 127;
    branchsim_BC_predict(0);
    sum = 0; /* as if it had been near */
    branchsim_BC_update(0, 1);
    step(0, "", "", "127 127 127 -> T");
    is_int(PREDICTOR_BITS, 8 * 3 * 16 + 4, "storage in bits");
    return done_testing();
}
