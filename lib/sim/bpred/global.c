/* bpred/global.c - two-level with global history (GAs): the index is the last outcomes of all branches and low bits of the address.
 *
 * Two levels, global history: the last outcomes of all branches, joined with low bits of the address, choose a counter. A branch that
 * goes as the one before it went is known.
 *
 *   branch 0: T N T N ...   branch 1 does the same: history ..1 means T, ..0 means N
 *
 * Options: `global-history` (10), `global-branches` (4), in bits.
 * Storage: history + 2 * 2^(history + branches) = 32,778.
 * Source: T.-Y. Yeh, Y. N. Patt, Alternative implementations of two-level adaptive branch prediction, ISCA 1992 (GAs). */
#include "sim/bpred/table.h"

#define PREDICTOR "global"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS history_bits + (2ull << (history_bits + branch_bits))

static unsigned history_bits, branch_bits;
static uint64_t history;
static uint8_t *counters;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    history_bits = bits_option(PREDICTOR, "global-history", 10);
    branch_bits = bits_option(PREDICTOR, "global-branches", 4);
    counters = sim_alloc(1ull << (history_bits + branch_bits));
}

static inline uint8_t *counter_of(uint64_t pc)
{
    return &counters[history << branch_bits | (pc & low_bits(branch_bits))];
}

static unsigned branchsim_BC_predict(uint64_t pc) { return two_bit_taken(*counter_of(pc)); }

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    two_bit_train(counter_of(pc), taken);
    history = (history << 1 | taken) & low_bits(history_bits);
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_bits("history", history, history_bits);
    sim_show_number("index", counter_of(pc) - counters);
    sim_show_counter("counter", counter_of(pc), 0, 3);
}
