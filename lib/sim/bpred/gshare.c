/* bpred/gshare.c - the index is the exclusive or of global history and address.  With as much history as index bits, both use all of
 * it.
 *
 * Global history and address by exclusive or, so that both use the whole index.
 *
 *   branch 0101, history 01: counter 0101 xor 01.. = 0001
 *
 * Branches that share a counter by chance get into each other's way.
 *
 * Options: `bits` (14); `gshare-history` (12, at most bits).
 * Storage: history + 2 * 2^bits = 32,780.
 * Source: McFarling 1993 (see bimodal). */
#include "sim/bpred/table.h"

#define PREDICTOR "gshare"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS history_bits + (2ull << bits)

static unsigned bits, history_bits;
static uint64_t history;
static uint8_t *counters;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    bits = bits_option(PREDICTOR, "bits", 14);
    history_bits = bits_option(PREDICTOR, "gshare-history", 12);
    if (history_bits > bits)
        sim_fail(sim.slot, PREDICTOR, "gshare-history", 0, "more history than index bits");
    counters = sim_alloc(1ull << bits);
}

static inline uint8_t *counter_of(uint64_t pc) { return &counters[(pc ^ history << (bits - history_bits)) & low_bits(bits)]; }
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
