/* bpred/bimodal.c - a two-bit counter per branch, in a table without tags.  Storage: 2 * 2^bits.
 *
 * A two-bit counter per branch: one surprise does not change its mind.
 *
 *   TTT      xx.       0 1 2 3
 *   TTTNTTTN ...x...x  a loop of four: one wrong each time round
 *
 * Options: `bits` (14).
 * Storage: 2 * 2^bits = 32,768.
 * Source: Smith 1981 (see taken), strategy 7; the name: S. McFarling, Combining branch predictors, DEC WRL Technical Note TN-36, 1993. */
#include "sim/bpred/table.h"

#define PREDICTOR "bimodal"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (2ull << bits)

static unsigned bits;
static uint8_t *counters;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    bits = bits_option(PREDICTOR, "bits", 14);
    counters = sim_alloc(1ull << bits);
}

static unsigned branchsim_BC_predict(uint64_t pc) { return two_bit_taken(counters[pc & low_bits(bits)]); }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { two_bit_train(&counters[pc & low_bits(bits)], taken); }

static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_number("index", (int64_t)(pc & low_bits(bits)));
    sim_show_counter("counter", &counters[pc & low_bits(bits)], 0, 3);
}
