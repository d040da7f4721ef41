/* bpred/2bcgskew.c - a bimodal table, a majority vote of it with two tables skewed by history, and a table that chooses (2Bc-gskew).
 *
 * Two branches that meet in one table do not meet in the others, because each table has an index function of its own (skewing): the
 * majority is right where one of three counters is spoilt. Four tables of two-bit counters, all beginning with 0:
 *
 *   BIM    by address                   the bimodal prediction
 *   G0     by address, 13 outcomes      with BIM and
 *   G1     by address, 21 outcomes      ... G1 the majority vote
 *   META   by address, 15 outcomes      from 2 on the vote is believed, else BIM
 *
 *   a branch that is always taken, its counters in BIM, G0, G1 | META before each time; the history is new each time:
 *   T   0 0 0 | 0   x   all say not taken, and all three learn
 *   T   1 0 0 | 0   x   the same
 *   T   2 0 0 | 0   .   BIM is believed, and right against the vote: BIM goes to 3, G0 and G1 stay 0
 *
 * Rules (partial update): right, and all three agree: nothing learns. Right otherwise: META learns if BIM and the vote differed; then
 * BIM is strengthened if it was believed, else those of the three that were right. Wrong, and BIM and the vote differed: META learns
 * first; if it now believes the other one, which was right, that is strengthened as above. In all other cases all three learn.
 *
 * The index of G0, G1 and META: V1 = the history folded by exclusive or to the bits of the index, V2 = low bits of the address; H shifts
 * right by one, and the new top bit is the exclusive or of the top and the bottom bit; H' is its inverse:
 *   G0 = H(V1) ^ H'(V2) ^ V2    G1 = H(V1) ^ H'(V2) ^ V1    META = H'(V1) ^ H(V2) ^ V2
 * The Alpha EV8 has tables of several sizes and index functions for its banks; here all four have one size.
 *
 * Options: `gskew-bits` (12, 2 to 24), of the index of each table.
 * Storage: 4 * 2 * 2^gskew-bits + 21 = 32,789.
 * Source: A. Seznec, P. Michaud, De-aliased hybrid branch predictors, INRIA RR-3618, 1999; partial update, lengths of the histories:
 * A. Seznec, S. Felix, V. Krishnan, Y. Sazeides, Design tradeoffs for the Alpha EV8 conditional branch predictor, ISCA 2002; skewing:
 * P. Michaud, A. Seznec, R. Uhlig, Trading conflict and capacity aliasing in conditional branch predictors, ISCA 1997. */
#include "sim/bpred/table.h"

#define PREDICTOR "2bcgskew"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (4 * 2ull << bits) + HISTORY_G1

enum { HISTORY_G0 = 13, HISTORY_META = 15, HISTORY_G1 = 21 };
enum table { BIM, G0, G1, META, TABLES };

static unsigned bits;
static uint64_t history;
static uint8_t *tables[TABLES];

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    bits = (unsigned)sim_option_within(sim.slot, PREDICTOR, "gskew-bits", 12, 2, TABLE_BITS_MAX);
    for (unsigned t = 0; t < TABLES; t++)
        tables[t] = sim_alloc(1ull << bits);
}

/* ---- where a branch is in each table ---- */

static uint64_t shuffle(uint64_t v) { return v >> 1 | ((v >> (bits - 1) ^ v) & 1) << (bits - 1); }

/* The inverse: the lost bottom bit is the exclusive or of the two top ones. */
static uint64_t unshuffle(uint64_t v) { return (v << 1 & low_bits(bits)) | ((v >> (bits - 1) ^ v >> (bits - 2)) & 1); }

static uint64_t folded(unsigned length)
{
    uint64_t value = 0;

    for (uint64_t rest = history & low_bits(length); rest; rest >>= bits)
        value ^= rest & low_bits(bits);
    return value;
}

static struct lookup {
    uint8_t *counter[TABLES];
    unsigned vote, said;
} last; /* of the last prediction, for the update that follows it */

static void look_up(uint64_t pc)
{
    uint64_t v2 = pc & low_bits(bits), g0 = folded(HISTORY_G0), g1 = folded(HISTORY_G1), meta = folded(HISTORY_META);
    const uint64_t index[TABLES] = {v2, shuffle(g0) ^ unshuffle(v2) ^ v2, shuffle(g1) ^ unshuffle(v2) ^ g1, unshuffle(meta) ^ shuffle(v2) ^ v2};

    for (unsigned t = 0; t < TABLES; t++)
        last.counter[t] = &tables[t][index[t]];
}

/* ---- prediction and partial update ---- */

static inline unsigned says(enum table t) { return two_bit_taken(*last.counter[t]); }

static unsigned branchsim_BC_predict(uint64_t pc)
{
    look_up(pc);
    last.vote = says(BIM) + says(G0) + says(G1) >= 2;
    last.said = says(META) ? last.vote : says(BIM);
    return last.said;
}

/* The prediction that META believes was right. */
static void strengthen(unsigned taken)
{
    if (!says(META))
        two_bit_train(last.counter[BIM], taken);
    else
        for (unsigned t = BIM; t <= G1; t++)
            if (says(t) == taken)
                two_bit_train(last.counter[t], taken);
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    bool differ = last.vote != says(BIM), believed_vote = says(META);

    (void)pc;
    if (differ) {
        bool vote_was_right = last.vote == taken;

        two_bit_train(last.counter[META], vote_was_right);
    }
    if (last.said == taken ? says(BIM) != says(G0) || says(G0) != says(G1) : differ && believed_vote != says(META))
        strengthen(taken);
    else if (last.said != taken)
        for (unsigned t = BIM; t <= G1; t++)
            two_bit_train(last.counter[t], taken);
    history = (history << 1 | taken) & low_bits(HISTORY_G1);
}
