/* lib/sim/adapt/predictor_BI.h - makes a unit of a predictor of the targets of indirect branches and returns (PREDICTOR). */
#define UNIT_SLOT SLOT_BI
#include "sim/adapt/predictor.h"

#ifndef PREDICTOR_INIT
static void branchsim_BI_init(const struct sim_config *config) { (void)config; }
#endif
#ifndef PREDICTOR_FINISH
static void branchsim_BI_finish(void) {}
#endif
#ifdef PREDICTOR_RETURNS
enum { UNIT_RETURNS = 1 };
#else
enum { UNIT_RETURNS = 0 };
static void branchsim_BI_call(uint64_t next) { (void)next; }
static uint64_t branchsim_BI_return(void) { return 0; }
#endif

static unsigned unit_returns, unit_wrong_returns;

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = PREDICTOR;
    AT_WORK_DO(SLOT_BI, SIM_IN_INIT, 0, branchsim_BI_init(config));
    facts->bits = PREDICTOR_BITS;
    facts->returns = UNIT_RETURNS;
    if (!UNIT_RETURNS)
        return;
    unit_returns = sim_event(sim.slot, "returns", "returns");
    unit_wrong_returns = sim_event(sim.slot, "return-mispredicts", "returns that went elsewhere than predicted");
}

/* Returns true on a mispredict. */
static SIM_NCSR bool unit_indirect(uint64_t pc, uint64_t target)
{
    struct sim_before before = sim_enter(SLOT_BI, SIM_IN_TARGET, ++unit_branches);
    uint64_t said = branchsim_BI_target(pc);

    sim_in(SIM_IN_LEARN);
    branchsim_BI_learn(pc, target);
    sim_leave(before);
    return said != target;
}

static SIM_NCSR void unit_call(uint64_t next) { AT_WORK_DO(SLOT_BI, SIM_IN_CALL, unit_branches, branchsim_BI_call(next)); }

static SIM_NCSR bool unit_return(uint64_t target)
{
    bool wrong;

    if (!UNIT_RETURNS)
        return false;
    wrong = AT_WORK(SLOT_BI, SIM_IN_RETURN, unit_branches, branchsim_BI_return()) != target;
    sim_count(unit_returns, 1);
    if (wrong)
        sim_count(unit_wrong_returns, 1);
    return wrong;
}

static void unit_finish(void) { AT_WORK_DO(SLOT_BI, SIM_IN_FINISH, unit_branches, branchsim_BI_finish()); }

#define UNIT_FUNCTIONS UNIT_SHOWN .indirect = unit_indirect, .call = unit_call, .returned = unit_return
#include "sim/adapt/object.h"
