/* bpred/perceptron.c - for each branch a linear function of the history: the sum of weights times outcomes (+1, -1).  It predicts
 * taken if the sum is not negative.  It is trained after a mispredict, and when the magnitude of the sum is at most the threshold 1.93
 * h + 14, where h is the length of the history.
 *
 * A bias and a weight for each outcome of the history (+1 taken, -1 not); taken if their sum is not negative. Trained when wrong, or
 * when the sum is within 1.93 h + 14 of zero, h = outcomes of history: each weight goes up by one where its outcome agreed.
 *
 *   T N T N ..., two outcomes, weights 0 | 0 0:
 *   T   sum 0     .    1 | -1 -1
 *   N   sum 1     x    0 | -2  0
 *   T   sum 2     .    1 | -3  1      the last outcome counts against, the one before for
 *
 * It learns long histories; not that a branch is the exclusive or of two others.
 *
 * Options: `perceptrons` (8), in bits; `perceptron-history` (24, at most 63).
 * Storage: 8 * (history + 1) * 2^perceptrons + history = 51,224.
 * Source: D. A. Jiménez, C. Lin, Dynamic branch prediction with perceptrons, HPCA 2001. */
#include "sim/bpred/table.h"

#define PREDICTOR "perceptron"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS ((8ull * (history_bits + 1)) << index_bits) + history_bits

enum { WEIGHT_MAX = 127, WEIGHT_MIN = -128, HISTORY_MAX = 63 };

static unsigned index_bits, history_bits;
static int threshold, sum; /* sum: of the last prediction, for the update that follows it */
static uint64_t history; /* bit 0: the last outcome */
static int8_t *weights;  /* of each perceptron: the bias, then a weight for each outcome */

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    index_bits = bits_option(PREDICTOR, "perceptrons", 8);
    history_bits = (unsigned)sim_option_within(sim.slot, PREDICTOR, "perceptron-history", 24, 0, HISTORY_MAX);
    threshold = (int)(193 * history_bits / 100 + 14);
    weights = sim_alloc((uint64_t)(history_bits + 1) << index_bits);
}

static inline int8_t *weights_of(uint64_t pc) { return weights + (pc & low_bits(index_bits)) * (history_bits + 1); }

/* 1 if the branch was taken that was executed i branches before the last one, else -1. */
static inline int outcome(unsigned i) { return (int)(history >> i & 1) * 2 - 1; }

static unsigned branchsim_BC_predict(uint64_t pc)
{
    const int8_t *w = weights_of(pc);

    sum = w[0];
    for (unsigned i = 0; i < history_bits; i++)
        sum += outcome(i) * w[i + 1];
    return sum >= 0;
}

static inline void nudge(int8_t *weight, int by)
{
    int moved = *weight + by;

    *weight = (int8_t)(moved > WEIGHT_MAX ? WEIGHT_MAX : moved < WEIGHT_MIN ? WEIGHT_MIN : moved);
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    int8_t *w = weights_of(pc);
    int right = taken ? 1 : -1;

    if ((sum >= 0) != (taken != 0) || (sum < 0 ? -sum : sum) <= threshold) {
        nudge(&w[0], right);
        for (unsigned i = 0; i < history_bits; i++)
            nudge(&w[i + 1], outcome(i) * right);
    }
    history = (history << 1 | taken) & low_bits(history_bits);
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    const int8_t *w = weights_of(pc);
    int all = w[0];

    (void)kind;
    for (unsigned i = 0; i < history_bits; i++)
        all += outcome(i) * w[i + 1];
    sim_show_number("perceptron", (int64_t)(pc & low_bits(index_bits)));
    sim_show_bits("history", history, history_bits);
    sim_show_number("sum", all);
    sim_show_number("threshold", threshold);
    sim_show_counter("bias", w, WEIGHT_MIN, WEIGHT_MAX);
    if (history_bits)
        sim_show_weights("weights", w + 1, history_bits);
}
