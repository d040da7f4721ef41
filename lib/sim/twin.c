/* lib/sim/twin.c - the lockstep twin of --check: the same modules once more, fed every reference without a filter.
 *
 * The first reference whose outcome differs from the filtered one stops the run and is named. */
#define QN_SIM_TWIN 1
#include "sim/slots.h"

#include "sim/slot_calls.h"

#include "base/context.h"
#include "base/format.h"
#include "sim/twin.h"

#define SLOW QN_SIM_NCSR

static uint64_t twin_clock, twin_number;

void qn_sim_twin_init(const struct qn_config *config)
{
#ifdef QN_SIM_LL_UNIT
    upper_I1 = config->I1;
    upper_D1 = config->D1;
#endif
    slots_init(config);
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

static unsigned outcome_of(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return l1 & QN_UNIT_MISS ? 1u | (unsigned)next_level(l1, addr, size, kind) << 1 : 0;
}

unsigned qn_sim_twin_data_kind(uint64_t addr, uint32_t size, unsigned kind)
{
    return outcome_of(D1_ref(addr, size, kind), addr, size, kind);
}

unsigned qn_sim_twin_data(uint64_t addr, uint32_t size) { return qn_sim_twin_data_kind(addr, size, SIM_READ); }

unsigned qn_sim_twin_fetch(uint64_t addr, uint32_t size)
{
    return outcome_of(I1_ref(addr, size, &twin_clock), addr, size, SIM_FETCH);
}

SLOW void qn_sim_check_data(void)
{
    unsigned kind = qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;

    compare("data", qn_sim_twin_data_kind(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, kind));
}

SLOW void qn_sim_check_fetch(void)
{
    compare("fetch", qn_sim_twin_fetch(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff));
}
