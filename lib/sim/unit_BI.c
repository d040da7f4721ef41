/* lib/sim/unit_BI.c - slot BI, if it holds another module than the default (which engine.c includes). */
#include "sim/slots.h"

#ifdef QN_SIM_BI_UNIT
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SIM_BI_FILE

void qn_unit_BI_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
#ifdef PREDICTOR_INIT
    branchsim_BI_init(config);
#endif
#ifdef PREDICTOR
    facts->name = PREDICTOR;
#else
    facts->name = QN_SIM_BI_FILE;
#endif
#ifdef PREDICTOR_BITS
    facts->bits = PREDICTOR_BITS;
#endif
}

SIM_NCSR uint64_t qn_unit_BI_target(uint64_t pc) { return branchsim_BI_target(pc); }
SIM_NCSR void qn_unit_BI_learn(uint64_t pc, uint64_t target) { branchsim_BI_learn(pc, target); }

void qn_unit_BI_finish(void)
{
#ifdef PREDICTOR_FINISH
    branchsim_BI_finish();
#endif
}
#endif
