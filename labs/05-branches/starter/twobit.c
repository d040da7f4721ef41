/* twobit.c - a counter from 0 to 3 per branch, 0 at first; from 2 on it predicts taken.  2^bits entries, as in
 * onebit.c. */
#include "sim/module.h"

#define PREDICTOR "twobit"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (2ull << bits) /* storage: printed, and used by `quern plot budget` */
#define BITS_MAX 12

static unsigned bits; /* --sim-opt=bits=N; 12 if not said */
static uint8_t table[1 << BITS_MAX];

static void branchsim_BC_init(const struct sim_config *config)
{
    bits = (unsigned)sim_option_within(config->slot, PREDICTOR, "bits", BITS_MAX, 0, BITS_MAX);
}

/* 1: taken.  Never sees the outcome. */
static unsigned branchsim_BC_predict(uint64_t pc)
{
    (void)pc, (void)table;
    return 0; /* TODO */
}

/* What the branch did: follows at once. */
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; /* TODO */ }
