/* lib/sim/many/predictors.c - slot BC or BI of a build that simulates many predictors at once; see many.h. */
#include "sim/many/many.h"

#include QN_MANY_TABLE

#define PREDICTOR "many"
#define PREDICTOR_INIT 1
#define PREDICTOR_FINISH 1

#if UNIT_BIT == UNIT_BIT_BI
#define members many_BI
#else
#define members many_BC
#endif
#define COUNT (sizeof members / sizeof members[0])

static uint64_t predicted[COUNT], wrong[COUNT];

static void branchsim_X_init(const struct sim_config *config)
{
    for (unsigned n = 0; n < COUNT; n++) {
        struct sim_config own = many_config(sim.slot, n, 0, 0, 0, config->seed);

        members[n]->init(&own);
    }
}

static inline uint64_t predict(uint64_t pc)
{
    for (unsigned n = 0; n < COUNT; n++)
        predicted[n] = members[n]->predict(pc);
    return predicted[0];
}

static inline void learn(uint64_t pc, uint64_t outcome)
{
    for (unsigned n = 0; n < COUNT; n++) {
        wrong[n] += predicted[n] != outcome;
        members[n]->update(pc, outcome);
    }
}

static void branchsim_X_finish(void)
{
    for (unsigned n = 0; n < COUNT; n++) {
        const char *slot = many_name(sim.slot, n);

        sim_total(slot, UNIT_BIT == UNIT_BIT_BI ? "Bim" : "Bcm", wrong[n], "mispredicts");
        if (members[n]->bits())
            sim_total(slot, "bits", members[n]->bits(), "bits of storage");
    }
}

#if UNIT_BIT == UNIT_BIT_BI
static uint64_t branchsim_BI_target(uint64_t pc) { return predict(pc); }
static void branchsim_BI_learn(uint64_t pc, uint64_t target) { learn(pc, target); }
#else
static unsigned branchsim_BC_predict(uint64_t pc) { return (unsigned)predict(pc); }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { learn(pc, taken); }
#endif
