/* lib/sim/adapt/predictor.h - makes a unit of a predictor (PREDICTOR) in slot BC or BI.
 *
 * The predict function gets the address only, never the outcome; the update function gets the outcome afterwards. */
#ifndef PREDICTOR
#error quern-module: this is no predictor: #define PREDICTOR is missing
#endif
#ifndef PREDICTOR_BITS
#define PREDICTOR_BITS 0 /* storage: unknown */
#endif
#ifndef PREDICTOR_INIT
static void branchsim_X_init(const struct sim_config *config) { (void)config; }
#endif
#ifndef PREDICTOR_FINISH
static void branchsim_X_finish(void) {}
#endif
#ifndef PREDICTOR_SHOWS
static void predictor_show(uint64_t pc, unsigned kind) { (void)pc, (void)kind; }
#endif

#define UNIT_SLOT CAT2(SLOT_, QN_SLOT)

static uint64_t unit_branches; /* for messages */

static void unit_finish(void) { IN_MODULE_DO(UNIT_SLOT, SIM_IN_FINISH, unit_branches, branchsim_X_finish()); }

#if defined(PREDICTOR_SHOWS) && defined(QN_SIM_HOSTED)
static void unit_shown(uint64_t pc, unsigned kind)
{
    IN_MODULE_DO(UNIT_SLOT, SIM_IN_SHOW, unit_branches + 1, predictor_show(pc, kind));
}
#define UNIT_SHOWN .shown = unit_shown,
#else
#define UNIT_SHOWN
#endif

#if UNIT_BIT == UNIT_BIT_BC

/* ---- conditional branches ---- */

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = PREDICTOR;
    IN_MODULE_DO(SLOT_BC, SIM_IN_INIT, 0, branchsim_BC_init(config));
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

#ifndef PREDICTOR_PATH
static void branchsim_BC_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind) { (void)pc, (void)target, (void)kind; }
#endif
static SIM_NCSR void unit_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind)
{
    IN_MODULE_DO(SLOT_BC, SIM_IN_PATH, unit_branches, branchsim_BC_path(pc, target, kind));
}

#define UNIT_FUNCTIONS UNIT_SHOWN .path = QN_DEFINES(PREDICTOR_PATH) ? unit_path : NULL, .cond = unit_cond, .conds = unit_conds

#else

/* ---- targets of indirect branches and returns ---- */

#ifndef PREDICTOR_RETURNS
static void branchsim_BI_call(uint64_t next) { (void)next; }
static uint64_t branchsim_BI_return(void) { return 0; }
#endif

static unsigned unit_returns, unit_wrong_returns;

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = PREDICTOR;
    IN_MODULE_DO(SLOT_BI, SIM_IN_INIT, 0, branchsim_BI_init(config));
    facts->bits = PREDICTOR_BITS;
    facts->returns = QN_DEFINES(PREDICTOR_RETURNS);
    if (!QN_DEFINES(PREDICTOR_RETURNS))
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

static SIM_NCSR void unit_call(uint64_t next) { IN_MODULE_DO(SLOT_BI, SIM_IN_CALL, unit_branches, branchsim_BI_call(next)); }

static SIM_NCSR bool unit_return(uint64_t target)
{
    bool wrong;

    if (!QN_DEFINES(PREDICTOR_RETURNS))
        return false;
    wrong = IN_MODULE(SLOT_BI, SIM_IN_RETURN, unit_branches, branchsim_BI_return()) != target;
    sim_count(unit_returns, 1);
    if (wrong)
        sim_count(unit_wrong_returns, 1);
    return wrong;
}

#ifndef PREDICTOR_OUTCOMES
static void branchsim_BI_outcome(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }
#endif
static SIM_NCSR void unit_outcome(uint64_t pc, bool taken)
{
    IN_MODULE_DO(SLOT_BI, SIM_IN_OUTCOME, unit_branches, branchsim_BI_outcome(pc, taken));
}

#define UNIT_FUNCTIONS UNIT_SHOWN .outcome = QN_DEFINES(PREDICTOR_OUTCOMES) ? unit_outcome : NULL, .indirect = unit_indirect, .call = unit_call, .returned = unit_return
#endif
