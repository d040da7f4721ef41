/* tests/unit/sim/tagescl.c - TAGE-SC-L, step by step: who provides, what a loop is known for, what the corrector's sum does. */
#define PREDICTOR_FILE "sim/bpred/tagescl.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    const struct loop *l = loop_of(pc);

    return l ? text("loop of %u, sure %u", l->last, l->sure) : text("no loop");
}

int main(void)
{
    begin("");
    is_int(PREDICTOR_BITS, 64313, "storage in bits");
    is_int(PREDICTOR_BITS <= 8 * 8192, 1, "  in 8 KiB");

    /* In the base table at first; the first mispredict makes entries for 4 and for 20 outcomes. */
    step(64, "N", ".", "no loop");
    is_int(provider, -1, "the base table provides");
    step(64, "T", "x", "loop of 0, sure 0");
    is_int(entry[0]->tag == tag[0] && entry[2]->tag == tag[2] && entry[1]->tag != tag[1], 1, "two entries, with a table between them");

    /* A loop alone: the way of an entry is the one that the mispredict was not. */
    memset(loops, 0, sizeof loops);
    loop_train(5, 0, true);
    is_str(draw(5), "loop of 0, sure 0", "an entry, its way is T");
    for (unsigned lap = 0; lap < 4; lap++)
        for (unsigned k = 0; k < 3; k++)
            loop_train(5, k < 2, false);
    is_str(draw(5), "loop of 3, sure 3", "three laps that were as long as the one before");
    is_int(loop_says(loop_of(5)), 1, "the first is taken");
    loop_train(5, 1, false);
    loop_train(5, 1, false);
    is_int(loop_says(loop_of(5)), 0, "the third is not");
    loop_train(5, 1, false);
    is_str(draw(5), "no loop", "sure, and wrong: freed");
    loop_train(5, 1, true);
    loop_train(5 + 16, 1, true);
    is_int(loops[5].age, YOUNG - 1, "another branch waits until the entry has aged");

    /* The corrector: its threshold falls when it is right against the others, and rises when it is wrong. */
    threshold = 20;
    sum = 25;
    before_sum = 0;
    for (unsigned s = 0; s < SUMS; s++)
        weight[s] = &weights[s][0];
    weights[0][0] = 31;
    train_sum(1);
    is_int(threshold, 19, "right");
    is_int(weights[0][0], 31, "  and sure: nothing is trained");
    train_sum(0);
    is_int(threshold, 20, "wrong");
    is_int(weights[0][0], 30, "  trained");
    return done_testing();
}
