/* lib/sim/twin.c - the lockstep twin of --check: the same modules once more, fed every reference without a filter.
 *
 * The first reference after which the outcome, or what the modules have counted, differs stops the run and is named. */
#ifndef QN_SIM_VERSUS
#define QN_SIM_TWIN 1
#include "sim/slots.h"

#include "sim/slot_calls.h"

#include "base/context.h"
#include "base/format.h"
#include "sim/twin.h"

#define SLOW QN_SIM_NCSR

uint64_t *qn_sim_repeats;

static uint64_t twin_clock, twin_number;

void qn_sim_twin_init(const struct qn_config *config, struct qn_versus *versus)
{
    (void)versus;
#ifdef QN_SIM_LL_UNIT
    upper_I1 = config->I1;
    upper_D1 = config->D1;
#endif
    qn_sim_events_of_twin = true;
    slots_init(config);
    qn_sim_events_of_twin = false;
}

void qn_sim_twin_blame(unsigned slot, struct qn_sim_culprit *c) { c->module = facts[slot].name; }

/* ---- comparison ---- */

static const char *outcome_name(unsigned outcome)
{
    return outcome == 0 ? "hit" : outcome == 1 ? "miss, LL hit" : "miss, LL miss";
}

/* A level claims `settled`, so a difference is a mistake of the level that the reference went to, or of the filter. */
static _Noreturn void differ(bool fetch, uint64_t addr, const char *how)
{
    const struct qn_unit_facts *f = &facts[fetch ? SLOT_I1 : SLOT_D1];
    char line[240];

    qn_format(line, sizeof line, "module %s in slot %s, settled, reference %U at %x: %s", f->name ? f->name : "lru",
              fetch ? "I1" : "D1", twin_number, addr, how);
    qn_engine_check_failed(line);
}

/* What the modules have counted so far must be the same, too. */
static void compare_events(bool fetch, uint64_t addr)
{
    char how[120];

    for (uint64_t left = qn_sim_events_twinned; left; left &= left - 1) {
        unsigned event = (unsigned)__builtin_ctzll(left);
        uint64_t filtered = sim_counted(event), unfiltered = sim_event_new[SIM_EVENTS_MAX + event];

        if (filtered == unfiltered)
            continue;
        qn_format(how, sizeof how, "%s: filtered %U, unfiltered %U", qn_sim_event_name(event), filtered, unfiltered);
        differ(fetch, addr, how);
    }
}

void qn_sim_twin_compare(bool fetch, uint64_t addr, unsigned filtered, unsigned unfiltered)
{
    char how[120];

    twin_number++;
    if (filtered != unfiltered) {
        qn_format(how, sizeof how, "filtered %s, unfiltered %s", outcome_name(filtered), outcome_name(unfiltered));
        differ(fetch, addr, how);
    }
    compare_events(fetch, addr);
}

/* ---- references ---- */

static unsigned outcome_of(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return l1 & QN_UNIT_MISS ? 1u | (unsigned)next_level(l1, addr, size, kind) << 1 : 0;
}

unsigned qn_sim_twin_data_kind(uint64_t addr, uint32_t size, unsigned kind)
{
    return outcome_of(D1_ref(addr, size, kind, &twin_clock), addr, size, kind);
}

unsigned qn_sim_twin_data(uint64_t addr, uint32_t size) { return qn_sim_twin_data_kind(addr, size, SIM_READ); }

unsigned qn_sim_twin_fetch(uint64_t addr, uint32_t size)
{
    return outcome_of(I1_ref(addr, size, &twin_clock), addr, size, SIM_FETCH);
}

void qn_sim_twin_follow(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site)
{
    (void)site;
    qn_sim_twin_compare(false, addr, outcome, qn_sim_twin_data_kind(addr, size, kind));
}

SLOW void qn_sim_check_data(void)
{
    unsigned kind = qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;

    qn_sim_twin_compare(false, qn_ctx.arg_addr, (unsigned)qn_ctx.result,
                        qn_sim_twin_data_kind(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, kind));
}

SLOW void qn_sim_check_fetch(void)
{
    qn_sim_twin_compare(true, qn_ctx.arg_addr, (unsigned)qn_ctx.result,
                        qn_sim_twin_fetch(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff));
}
#endif
