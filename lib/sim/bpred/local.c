/* bpred/local.c - two-level with local history (PAg): the last outcomes of the same branch choose the counter.
 *
 * Two levels, local history: the last outcomes of this branch choose a counter, which learns what follows them.
 *
 *   T T N again and again, two outcomes of history:
 *   after 01 comes T, after 11 comes N, after 10 comes T: no mispredict once each counter has seen its two
 *
 * Options: `local-branches` (10), histories; `local-history` (10), outcomes in each; both in bits.
 * Storage: history * 2^branches + 2 * 2^history = 12,288.
 * Source: T.-Y. Yeh, Y. N. Patt, Two-level adaptive training branch prediction, MICRO 1991 (PAg). */
#include "sim/bpred/table.h"

#define PREDICTOR "local"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS ((uint64_t)history_bits << branch_bits) + (2ull << history_bits)

static unsigned branch_bits, history_bits;
static uint32_t *histories;
static uint8_t *counters;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    branch_bits = bits_option(PREDICTOR, "local-branches", 10);
    history_bits = bits_option(PREDICTOR, "local-history", 10);
    histories = sim_alloc(sizeof *histories << branch_bits);
    counters = sim_alloc(1ull << history_bits);
}

static unsigned branchsim_BC_predict(uint64_t pc)
{
    return two_bit_taken(counters[histories[pc & low_bits(branch_bits)]]);
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint32_t *history = &histories[pc & low_bits(branch_bits)];

    two_bit_train(&counters[*history], taken);
    *history = (uint32_t)((*history << 1 | taken) & low_bits(history_bits));
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    uint32_t history = histories[pc & low_bits(branch_bits)];

    (void)kind;
    sim_show_number("branch", (int64_t)(pc & low_bits(branch_bits)));
    sim_show_bits("history", history, history_bits);
    sim_show_counter("counter", &counters[history], 0, 3);
}
