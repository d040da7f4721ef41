/* gshare.c - lab 5, a solution. */
#include "sim/module.h"

#define PREDICTOR "gshare"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS ((2ull << bits) + bits) /* storage: printed, and used by `quern plot budget` */
#define BITS_MAX 12

static unsigned bits; /* --sim-opt=bits=N; 12 if not said */
static uint8_t table[1 << BITS_MAX];

static void branchsim_BC_init(const struct sim_config *config)
{
    bits = (unsigned)sim_option_within(config->slot, PREDICTOR, "bits", BITS_MAX, 0, BITS_MAX);
}

static uint32_t history; /* the newest outcome in bit 0 */

static uint8_t *entry(uint64_t pc) { return &table[(pc ^ history) & ((1u << bits) - 1)]; }

static unsigned branchsim_BC_predict(uint64_t pc) { return *entry(pc) >= 2; }

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    if (taken)
        *entry(pc) += *entry(pc) < 3;
    else
        *entry(pc) -= *entry(pc) > 0;
    history = history << 1 | taken;
}
