/* bpred/onebit.c - the last outcome of the branch, in a table without tags.  Storage: 2^bits.
 *
 * The last outcome of the branch, in a table of bits without tags: branches whose addresses are equal modulo its size share.
 *
 *   TTTNTTTN x..xx..x  a loop of four: two wrong each time round
 *
 * Options: `bits` (14), of the index.
 * Storage: 2^bits = 16,384.
 * Source: Smith 1981 (see taken), strategy 6. */
#include "sim/bpred/table.h"

#define PREDICTOR "onebit"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (1ull << bits)

static unsigned bits;
static uint8_t *last;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    bits = bits_option(PREDICTOR, "bits", 14);
    last = sim_alloc(1ull << bits);
}

static unsigned branchsim_BC_predict(uint64_t pc) { return last[pc & low_bits(bits)]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { last[pc & low_bits(bits)] = (uint8_t)taken; }

static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_number("index", (int64_t)(pc & low_bits(bits)));
    sim_show_counter("last", &last[pc & low_bits(bits)], 0, 1);
}
