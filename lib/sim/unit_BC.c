/* lib/sim/unit_BC.c - slot BC, if it holds another module than the default (which engine.c includes).
 *
 * A predictor never sees the outcome: predict has the address only, and what update has told it so far. */
#include "sim/slots.h"

#ifdef QN_SIM_BC_UNIT
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SIM_BC_FILE

void QN_UNIT(BC, init)(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
#ifdef PREDICTOR
    facts->name = PREDICTOR;
#else
    facts->name = QN_SIM_BC_FILE;
#endif
#ifdef PREDICTOR_INIT
    AT_WORK_DO(SLOT_BC, SIM_IN_INIT, 0, branchsim_BC_init(config));
#endif
#ifdef PREDICTOR_BITS
    facts->bits = PREDICTOR_BITS;
#endif
}

static uint64_t unit_branches; /* for messages */

SIM_NCSR unsigned QN_UNIT(BC, predict)(uint64_t pc)
{
    return AT_WORK(SLOT_BC, SIM_IN_PREDICT, ++unit_branches, branchsim_BC_predict(pc));
}

SIM_NCSR void QN_UNIT(BC, update)(uint64_t pc, unsigned taken)
{
    AT_WORK_DO(SLOT_BC, SIM_IN_UPDATE, unit_branches, branchsim_BC_update(pc, taken));
}

void QN_UNIT(BC, finish)(void)
{
#ifdef PREDICTOR_FINISH
    branchsim_BC_finish();
#endif
}
#endif
