/* lib/sim/many/member_cache.h - makes a policy one of many members, see many.h.  The build has a file for each, with
 *
 *   #define QN_MEMBER many_D1_3
 *   #define QN_MEMBER_FILE "/home/me/mine.c"
 *   #define QN_MEMBER_REPEAT_IS_NOOP 1           if the table relies on that
 *   #include "sim/many/member_cache.h"
 */
#define QN_SIM_UNIT 1
#define QN_SLOT_LL 1 /* so that nothing is published: the hit filter of caches.c has been checked already */
#include "sim/many/many.h"
#include "sim/unit.h"

#include QN_MEMBER_FILE

#ifndef POLICY
#error quern-module: only policies can be one of many
#endif

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
