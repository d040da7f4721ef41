/* lib/sim/many/member_predictor.h - makes a predictor one of many members, see many.h.  The build has a file for each, with
 *
 *   #define QN_MEMBER many_BC_3
 *   #define QN_MEMBER_BC 1                       or QN_MEMBER_BI
 *   #define QN_MEMBER_FILE "/home/me/mine.c"
 *   #include "sim/many/member_predictor.h"
 */
#define QN_SIM_UNIT 1
#include "sim/many/many.h"
#include "sim/unit.h"

#include QN_MEMBER_FILE

#ifndef PREDICTOR
#error quern-module: only predictors can be one of many
#endif
#ifndef PREDICTOR_BITS
#define PREDICTOR_BITS 0 /* storage: unknown */
#endif

static void member_init(const struct sim_config *config)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
#ifdef PREDICTOR_INIT
#ifdef QN_MEMBER_BC
    branchsim_BC_init(config);
#else
    branchsim_BI_init(config);
#endif
#endif
}

#ifdef QN_MEMBER_BC
static uint64_t member_predict(uint64_t pc) { return branchsim_BC_predict(pc); }
static void member_update(uint64_t pc, uint64_t outcome) { branchsim_BC_update(pc, (unsigned)outcome); }
#else
static uint64_t member_predict(uint64_t pc) { return branchsim_BI_target(pc); }
static void member_update(uint64_t pc, uint64_t outcome) { branchsim_BI_learn(pc, outcome); }
#endif

static uint64_t member_bits(void) { return PREDICTOR_BITS; }

const struct many_predictor QN_MEMBER = {
    .init = member_init, .predict = member_predict, .update = member_update, .bits = member_bits,
    .name = PREDICTOR,
};
