/* lib/sim/engine.c - the slots as the engine drives them.
 *
 * Includes the module files, so that one slow call reaches the simulator without another call, and counts what
 * they answer.  References reach the LL in program order because slow calls do.
 */
#include "sim/slots.h"

#include QN_SIM_I1_FILE
#include QN_SIM_D1_FILE
#include QN_SIM_LL_FILE
#include QN_SIM_BC_FILE
#include QN_SIM_BI_FILE

#include "base/context.h"
#include "sim/codelines.h"

#define SLOW __attribute__((no_caller_saved_registers))

struct qn_filter qn_sim_d1_filter;
enum qn_hit qn_sim_i1_hit = CACHESIM_I1_HIT;
uint32_t qn_sim_i1_line;

static uint64_t *sim_counters;

struct qn_code_line *qn_sim_code_line(uint64_t line) { return code_line_find(line); }

void qn_sim_init(const struct qn_config *config, uint64_t *counters)
{
    bool ok = cachesim_I1_initcache(config->I1, qn_engine_alloc) && cachesim_D1_initcache(config->D1) &&
              cachesim_LL_initcache(config->LL, qn_engine_alloc);

    if (!ok)
        qn_engine_die("cache too large for the simulator", config->D1.size, config->LL.size);
    sim_counters = counters;
    qn_sim_i1_line = config->I1.line;
    qn_sim_d1_filter = cachesim_D1_filter(config->D1);
}

/* On a level-1 miss: look up the LL and count both. */
static inline unsigned miss(uint64_t addr, uint32_t size, uint64_t *counts)
{
    unsigned ll = cachesim_LL_doref(addr, size);

    counts[0]++;
    counts[1] += ll;
    return 1 | ll << 1;
}

static inline uint64_t *site_counts(void) { return sim_counters + (qn_ctx.arg_site & QN_SITE_COUNTER_MASK); }
static inline uint32_t site_size(void) { return (uint32_t)qn_ctx.arg_site >> QN_SITE_SIZE_SHIFT; }

SLOW void qn_sim_slow_data(void)
{
    uint64_t addr = qn_ctx.arg_addr;
    uint32_t size = site_size();

    if (cachesim_D1_doref(addr, size))
        qn_ctx.result = miss(addr, size, site_counts());
}

SLOW void qn_sim_slow_big(void)
{
    uint64_t addr = qn_ctx.arg_addr;
    uint32_t size = (uint32_t)qn_ctx.arg_aux;

    if (cachesim_D1_doref(addr, size))
        qn_ctx.result = miss(addr, size, site_counts());
}

SLOW void qn_sim_slow_fetch(void)
{
    uint64_t addr = qn_ctx.arg_addr;
    uint32_t size = site_size();

    if (cachesim_I1_doref(addr, size, &qn_ctx.now, code_line_find))
        qn_ctx.result = miss(addr, size, site_counts());
}

unsigned qn_sim_data(uint64_t addr, uint32_t size, uint64_t *counts)
{
    return cachesim_D1_doref(addr, size) ? miss(addr, size, counts) : 0;
}

bool qn_sim_predict_cond(uint64_t pc, bool taken)
{
    bool wrong = branchsim_BC_predict(pc) != taken;

    branchsim_BC_update(pc, taken);
    return wrong;
}

SLOW void qn_sim_cond(void)
{
    *site_counts() += qn_sim_predict_cond(qn_ctx.arg_pc, qn_ctx.arg_aux != 0);
}

SLOW void qn_sim_indirect(void)
{
    *site_counts() += branchsim_BI_target(qn_ctx.arg_pc) != qn_ctx.arg_addr;
    branchsim_BI_learn(qn_ctx.arg_pc, qn_ctx.arg_addr);
}
