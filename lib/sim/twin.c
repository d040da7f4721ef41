/* lib/sim/twin.c - the lockstep twin of --check: the same modules once more, fed every reference without a filter.
 *
 * The first reference whose outcome differs from the filtered one stops the run and is named. */
#include "sim/slots.h"

#include QN_SIM_I1_FILE
#include QN_SIM_D1_FILE
#include QN_SIM_LL_FILE

#include "base/context.h"
#include "base/format.h"
#include "sim/codelines.h"
#include "sim/twin.h"

#define SLOW __attribute__((no_caller_saved_registers))

static uint64_t twin_clock, twin_number;

void qn_sim_twin_init(const struct qn_config *config)
{
    if (!cachesim_I1_initcache(config->I1, qn_engine_alloc) || !cachesim_D1_initcache(config->D1) ||
        !cachesim_LL_initcache(config->LL, qn_engine_alloc))
        qn_engine_die("cache too large for the simulator", config->D1.size, config->LL.size);
}

static void compare(const char *what, unsigned outcome)
{
    char line[200];

    twin_number++;
    if (outcome == qn_ctx.result)
        return;
    qn_format(line, sizeof line, "%s reference %U at %x: filtered %s, unfiltered %s", what, twin_number,
              qn_ctx.arg_addr, qn_sim_outcome_name((unsigned)qn_ctx.result), qn_sim_outcome_name(outcome));
    qn_engine_check_failed(line);
}

const char *qn_sim_outcome_name(unsigned outcome)
{
    return outcome == 0 ? "hit" : outcome == 1 ? "miss, LL hit" : "miss, LL miss";
}

static unsigned outcome_of(unsigned l1, uint64_t addr, uint32_t size)
{
    return l1 ? 1 | cachesim_LL_doref(addr, size) << 1 : 0;
}

SLOW void qn_sim_check_data(void)
{
    uint32_t size = (uint32_t)qn_ctx.arg_aux & 0xffff;

    compare("data", outcome_of(cachesim_D1_doref(qn_ctx.arg_addr, size), qn_ctx.arg_addr, size));
}

SLOW void qn_sim_check_fetch(void)
{
    uint32_t size = (uint32_t)qn_ctx.arg_aux & 0xffff;

    compare("fetch", outcome_of(cachesim_I1_doref(qn_ctx.arg_addr, size, &twin_clock, code_line_find),
                                qn_ctx.arg_addr, size));
}

unsigned qn_sim_twin_data(uint64_t addr, uint32_t size)
{
    return outcome_of(cachesim_D1_doref(addr, size), addr, size);
}
