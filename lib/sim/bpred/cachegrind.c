/* bpred/cachegrind.c - Cachegrind's conditional branch predictor: the same as the default, branchsim_BC.c, as a module with a name.
 *
 * What Cachegrind has, and the default: the last seven outcomes of all branches joined with the low seven bits of the address choose
 * one of 2^14 two-bit counters.
 *
 *   TTTTTTTTTT   xxxxxxxxx.     seven histories on the way to all ones, whose counter needs two
 *
 * Storage: 2 * 2^14 + 7 = 32,775.
 * Source: Cachegrind 3.19 (Valgrind), as measured; a global two-level predictor as in Yeh and Patt 1992 (see global). */
#include "sim/bpred/table.h"

#define PREDICTOR "cachegrind"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_BITS (2ull << (BC_PC_BITS + BC_HISTORY_BITS)) + BC_HISTORY_BITS

#define BC_PC_BITS 7
#define BC_HISTORY_BITS 7

static uint8_t BC_counters[1u << (BC_PC_BITS + BC_HISTORY_BITS)];
static unsigned BC_history;

static inline unsigned BC_index(uint64_t pc)
{
    return BC_history << BC_PC_BITS | (unsigned)(pc & ((1u << BC_PC_BITS) - 1));
}

static inline unsigned branchsim_BC_predict(uint64_t pc) { return two_bit_taken(BC_counters[BC_index(pc)]); }

static inline void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint8_t *counter = &BC_counters[BC_index(pc)];

    BC_history = (BC_history << 1 | taken) & ((1u << BC_HISTORY_BITS) - 1);
    two_bit_train(counter, taken);
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_bits("history", BC_history, BC_HISTORY_BITS);
    sim_show_number("index", BC_index(pc));
    sim_show_counter("counter", &BC_counters[BC_index(pc)], 0, 3);
}
