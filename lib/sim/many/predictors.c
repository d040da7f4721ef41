/* lib/sim/many/predictors.c - slot BC or BI of a build that simulates many predictors at once; see many.h. */
#include "sim/many/many.h"

#include QN_MANY_TABLE

#define PREDICTOR "many"
#define PREDICTOR_INIT 1
#define PREDICTOR_FINISH 1

#ifdef QN_MANY_BI
#define SLOT "BI"
#define members many_BI
#else
#define SLOT "BC"
#define members many_BC
#endif
#define COUNT (sizeof members / sizeof members[0])

static uint64_t predicted[COUNT], wrong[COUNT];

static void init(const struct sim_config *config)
{
    for (unsigned n = 0; n < COUNT; n++) {
        struct sim_config own = many_config(SLOT, n, 0, 0, 0, config->seed);

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

static void finish(void)
{
    for (unsigned n = 0; n < COUNT; n++) {
        sim_print("many " SLOT " %u %U", n, wrong[n]);
        if (members[n]->bits())
            sim_print(SLOT "#%u: %s, %U bits of storage", n, members[n]->name, members[n]->bits());
    }
}

#ifdef QN_MANY_BI
static void branchsim_BI_init(const struct sim_config *config) { init(config); }
static uint64_t branchsim_BI_target(uint64_t pc) { return predict(pc); }
static void branchsim_BI_learn(uint64_t pc, uint64_t target) { learn(pc, target); }
static void branchsim_BI_finish(void) { finish(); }
#else
static void branchsim_BC_init(const struct sim_config *config) { init(config); }
static unsigned branchsim_BC_predict(uint64_t pc) { return (unsigned)predict(pc); }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { learn(pc, taken); }
static void branchsim_BC_finish(void) { finish(); }
#endif
