/* lib/sim/unit_BI.c - slot BI, if it holds another module than the default (which engine.c includes). */
#include "sim/slots.h"

#ifdef QN_SIM_BI_UNIT
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SIM_BI_FILE

#ifdef PREDICTOR_RETURNS
static unsigned unit_returns, unit_wrong_returns;
#endif

void QN_UNIT(BI, init)(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
#ifdef PREDICTOR
    facts->name = PREDICTOR;
#else
    facts->name = QN_SIM_BI_FILE;
#endif
#ifdef PREDICTOR_INIT
    AT_WORK_DO(SLOT_BI, SIM_IN_INIT, 0, branchsim_BI_init(config));
#endif
#ifdef PREDICTOR_BITS
    facts->bits = PREDICTOR_BITS;
#endif
#ifdef PREDICTOR_RETURNS
    facts->returns = true;
    unit_returns = sim_event(sim.slot, "returns", "returns");
    unit_wrong_returns = sim_event(sim.slot, "return-mispredicts", "returns that went elsewhere than predicted");
#endif
}

static uint64_t unit_branches; /* for messages */

SIM_NCSR uint64_t QN_UNIT(BI, target)(uint64_t pc)
{
    return AT_WORK(SLOT_BI, SIM_IN_TARGET, ++unit_branches, branchsim_BI_target(pc));
}

SIM_NCSR void QN_UNIT(BI, learn)(uint64_t pc, uint64_t target)
{
    AT_WORK_DO(SLOT_BI, SIM_IN_LEARN, unit_branches, branchsim_BI_learn(pc, target));
}

#ifdef PREDICTOR_RETURNS
SIM_NCSR void QN_UNIT(BI, call)(uint64_t next)
{
    AT_WORK_DO(SLOT_BI, SIM_IN_CALL, unit_branches, branchsim_BI_call(next));
}

SIM_NCSR bool QN_UNIT(BI, return)(uint64_t target)
{
    bool wrong = AT_WORK(SLOT_BI, SIM_IN_RETURN, unit_branches, branchsim_BI_return()) != target;

    sim_count(unit_returns, 1);
    if (wrong)
        sim_count(unit_wrong_returns, 1);
    return wrong;
}
#else
SIM_NCSR void QN_UNIT(BI, call)(uint64_t next) { (void)next; }

SIM_NCSR bool QN_UNIT(BI, return)(uint64_t target)
{
    (void)target;
    return false;
}
#endif

void QN_UNIT(BI, finish)(void)
{
#ifdef PREDICTOR_FINISH
    branchsim_BI_finish();
#endif
}
#endif
