/* lib/sim/adapt/predictor_BC.h - makes a unit of a predictor of conditional branches (PREDICTOR).
 *
 * The predict function gets the address only, never the outcome; the update function gets the outcome afterwards. */
#define UNIT_SLOT SLOT_BC
#include "sim/adapt/predictor.h"

#ifndef PREDICTOR_INIT
static void branchsim_BC_init(const struct sim_config *config) { (void)config; }
#endif
#ifndef PREDICTOR_FINISH
static void branchsim_BC_finish(void) {}
#endif

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = PREDICTOR;
    AT_WORK_DO(SLOT_BC, SIM_IN_INIT, 0, branchsim_BC_init(config));
    facts->bits = PREDICTOR_BITS;
}

/* Returns true on a mispredict. */
static SIM_NCSR bool unit_cond(uint64_t pc, bool taken)
{
    struct sim_before before = sim_enter(SLOT_BC, SIM_IN_PREDICT, ++unit_branches);
    bool said = branchsim_BC_predict(pc) != 0;

    sim_in(SIM_IN_UPDATE);
    branchsim_BC_update(pc, taken);
    sim_leave(before);
    return said != taken;
}

/* The same for n branches; wrong[i] is 1 on a mispredict. */
static void unit_conds(const struct qn_branch_entry *entry, uint32_t n, uint8_t *wrong)
{
    struct sim_before before = sim_enter(SLOT_BC, SIM_IN_PREDICT, unit_branches);

    for (uint32_t i = 0; i < n; i++) {
        const struct qn_branch_entry *e = &entry[i];
        unsigned taken = (e->site & QN_BRANCH_TAKEN) != 0;

        sim_enter_next(SIM_IN_PREDICT);
        sim_branch_backward = (e->site & QN_SITE_BACKWARD) != 0;
        wrong[i] = (branchsim_BC_predict(e->pc) != 0) != taken;
        sim_in(SIM_IN_UPDATE);
        branchsim_BC_update(e->pc, taken);
        if (QN_UNLIKELY(sim_events_new))
            QN_UP(charge)(e->site);
    }
    unit_branches += n;
    sim_leave(before);
}

static void unit_finish(void) { AT_WORK_DO(SLOT_BC, SIM_IN_FINISH, unit_branches, branchsim_BC_finish()); }

#define UNIT_FUNCTIONS UNIT_SHOWN .cond = unit_cond, .conds = unit_conds
#include "sim/adapt/object.h"
