/* lib/sim/many/member_cache.h - a policy as one member of many, see many.h.  A file for the build has
 *
 *   #define QN_MEMBER many_D1_3
 *   #define QN_MEMBER_FILE "/home/me/mine.c"
 *   #define QN_MEMBER_REPEAT_IS_NOOP 1           if the table counts on that
 *   #include "sim/many/member_cache.h"
 */
#define QN_SIM_UNIT 1
#define QN_SLOT_LL 1 /* of level.h: publish nothing, since references come here only if they have to */
#include "sim/many/many.h"
#include "sim/unit.h"

static inline __attribute__((unused)) bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    (void)addr, (void)size, (void)kind;
    return true;
}
static inline __attribute__((unused)) bool sim_wants_evictions(void) { return false; }
static inline __attribute__((unused)) void sim_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
static inline __attribute__((unused)) void sim_dropped(uint64_t line) { (void)line; }

#include QN_MEMBER_FILE

#ifndef POLICY
#error "only policies can be one of many"
#endif

#include "sim/level.h"

#if defined(QN_MEMBER_REPEAT_IS_NOOP) != defined(POLICY_REPEAT_IS_NOOP)
#error "the table has another idea of what a repeated hit does"
#endif

static void member_init(const struct sim_config *config)
{
    struct qn_unit_facts facts = {.hit = QN_HIT_CALL};

    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    level_init(&facts, NULL);
    (void)level_drop;
}

static unsigned member_ref(uint64_t addr, uint32_t size, enum sim_kind kind) { return level_ref(addr, size, kind) & QN_UNIT_MISS; }

static bool member_settled(uint64_t line)
{
    unsigned set = (unsigned)(line >> sim.line_bits) & (sim.sets - 1);

    line &= ~(uint64_t)(sim.line - 1);
    for (unsigned way = 0; way < sim.ways; way++)
        if (level_tags[(uint64_t)set * sim.ways + way] == line)
            return level_settled(set, way);
    return false;
}

static void member_finish(void)
{
    level_finish();
#ifdef POLICY_FINISH
    policy_finish();
#endif
}

const struct many_member QN_MEMBER = {
    .init = member_init, .ref = member_ref, .settled = member_settled, .finish = member_finish,
};
