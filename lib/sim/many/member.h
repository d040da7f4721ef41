/* lib/sim/many/member.h - makes a policy or a predictor one of many members, see many.h.  The build has a file for each, with
 *
 *   #define QN_MEMBER many_D1_3                  many_BC_3
 *   #define QN_MEMBER_FILE "/home/me/mine.c"
 *   #define QN_MEMBER_BC 1                       or QN_MEMBER_BI; of a policy neither of them, but
 *   #define QN_MEMBER_REPEAT_IS_NOOP 1           if the table relies on that
 *   #include "sim/many/member.h"
 */
#define QN_SIM_UNIT 1
#if !defined(QN_MEMBER_BC) && !defined(QN_MEMBER_BI)
#define QN_SLOT_LL 1 /* so that nothing is published: the hit filter of caches.c has been checked already */
#endif
#include "sim/many/many.h"
#include "sim/unit.h"

#include QN_MEMBER_FILE

#ifdef QN_SLOT_LL

#ifndef POLICY
#error quern-module: only policies can be one of many
#endif
#define UNIT_BIT LEVEL_IN_LL
#include "sim/adapt/beside.h"
#include "sim/adapt/policy.h"

#ifdef QN_MEMBER_REPEAT_IS_NOOP
_Static_assert(LEVEL_REPEAT_IS_NOOP, "the table has another idea of what a repeated hit does");
#else
_Static_assert(!LEVEL_REPEAT_IS_NOOP, "the table has another idea of what a repeated hit does");
#endif

static void member_init(const struct sim_config *config)
{
    struct qn_unit_facts facts = {.hit = QN_HIT_CALL};

    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    unit_init(config, &facts);
    (void)unit_drop, (void)unit_show;
}

static unsigned member_ref(uint64_t addr, uint32_t size, enum sim_kind kind) { return unit_ref(addr, size, kind) & QN_UNIT_MISS; }

const struct many_member QN_MEMBER = {
    .init = member_init, .ref = member_ref, .settled = level_line_settled, .finish = unit_finish,
};

#else

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
#endif
