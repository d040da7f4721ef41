/* bpred/hashed.c - hashed perceptron: the weights are in several tables, each indexed by the address and one segment of the history.
 *
 * A perceptron has a weight for each outcome; here a weight stands for a whole segment of them, as a counter of gshare does. One table
 * is indexed by the address alone, the others by the exclusive or of the address and a segment, the first by the latest outcomes. The
 * sum of the weights found predicts: taken if it is not negative. Trained when wrong, or when the sum is within the threshold of zero:
 * each of these weights goes up by one if taken, else down.
 *
 *   branch 0, two outcomes in a segment, three tables, T N T N ...; in brackets the weights found:
 *   T   [0 0 0]    sum  0   .   all are 1
 *   N   [1 0 1]    sum  2   x   segment 01 is another weight; the third table's segment is still 00
 *   T   [0 0 0]    sum  0   .   segment 10
 *
 * What the perceptron cannot learn, a branch that is the exclusive or of two others, is here one weight for each case, if both are in one
 * segment. Weights have 8 bits. The threshold is the perceptron's, 1.93 h + 14, where h counts the segments.
 *
 * Options: `hashed-tables` (8, 1 to 16), `hashed-bits` (10), of the index; `hashed-segment` (7), outcomes of a segment; all together at
 * most 63.
 * Storage: 8 * hashed-tables * 2^hashed-bits + (hashed-tables - 1) * hashed-segment = 65,585.
 * Source: D. Tarjan, K. Skadron, Merging path and gshare indexing in perceptron branch prediction, ACM TACO 2(3), 2005, without the
 * pipelining and its path; the threshold: D. A. Jiménez, C. Lin, Dynamic branch prediction with perceptrons, HPCA 2001. */
#include "sim/bpred/table.h"

#define PREDICTOR "hashed"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (8ull * tables << index_bits) + (uint64_t)(tables - 1) * segment

enum { WEIGHT_MAX = 127, WEIGHT_MIN = -128, TABLES_MAX = 16, HISTORY_MAX = 63 };

static unsigned tables, index_bits, segment;
static int threshold, sum;          /* sum: of the last prediction, for the update that follows it */
static uint64_t history;            /* bit 0: the last outcome */
static int8_t *weights;             /* a table after the other */
static int8_t *found[TABLES_MAX];   /* those of the last prediction */

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    tables = (unsigned)sim_option_within(sim.slot, PREDICTOR, "hashed-tables", 8, 1, TABLES_MAX);
    index_bits = bits_option(PREDICTOR, "hashed-bits", 10);
    segment = bits_option(PREDICTOR, "hashed-segment", 7);
    if ((tables - 1) * segment > HISTORY_MAX)
        sim_fail(sim.slot, PREDICTOR, "hashed-segment", 0, "more than 63 outcomes in all segments");
    threshold = (int)(193 * (tables - 1) / 100 + 14);
    weights = sim_alloc((uint64_t)tables << index_bits);
}

/* The outcomes that table t sees, none if it is the first. */
static inline uint64_t segment_of(unsigned t) { return t ? history >> (t - 1) * segment & low_bits(segment) : 0; }

static unsigned branchsim_BC_predict(uint64_t pc)
{
    sum = 0;
    for (unsigned t = 0; t < tables; t++) {
        found[t] = weights + ((uint64_t)t << index_bits) + ((pc ^ segment_of(t)) & low_bits(index_bits));
        sum += *found[t];
    }
    return sum >= 0;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    (void)pc;
    if ((sum >= 0) != (taken != 0) || (sum < 0 ? -sum : sum) <= threshold)
        for (unsigned t = 0; t < tables; t++)
            *found[t] = (int8_t)(taken ? *found[t] + (*found[t] < WEIGHT_MAX) : *found[t] - (*found[t] > WEIGHT_MIN));
    history = (history << 1 | taken) & low_bits((tables - 1) * segment);
}
