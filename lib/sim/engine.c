/* lib/sim/engine.c - the slow calls: emitted code calls these functions to simulate a reference or a branch.
 *
 *   a reference that does not hit under the filter -> the unit in the slot, or the fast version of a default file
 *                                                  -> on a miss the last level, in the same way -> the counters of its site
 *
 * The last level sees references in program order, because slow calls are made in program order.
 *
 * Parts that are inlined into each slow call have headers of their own: levels.h, told.h, explain_calls.h, branches.h.
 */
#include "sim/contract.h"

#include "base/context.h"

#include "sim/service.h"
#include "sim/explain.h"
#include "sim/readers.h"
#include "sim/slot_calls.h"
#include "sim/twin.h"

#include "sim/fast/D1.h"
#include "sim/fast/I1_LL.h"
#include "sim/fast/predictors.h"

#define SLOW QN_SIM_NCSR

struct qn_fast qn_fast;
struct qn_filter qn_sim_d1_filter;
struct qn_sim_log qn_sim_log;
struct qn_sim_branches qn_sim_branches;
bool qn_sim_log_on, qn_sim_log_all, qn_sim_records;
struct qn_sim_vectors qn_sim_vectors = {QN_VECTORS_SCALAR, false};
enum qn_hit qn_sim_i1_hit = QN_HIT_STAMP;
uint32_t qn_sim_i1_line;
bool qn_sim_i1_repeat_is_noop = true, qn_sim_kinds, qn_sim_returns;
bool sim_branch_backward;
uint64_t sim_pc;
uint32_t sim_thread;
bool qn_sim_wants_thread;

struct qn_sim_traffic qn_sim_traffic;
struct qn_sim_miss qn_sim_misses[QN_SIM_MISSES];
uint64_t qn_sim_miss_count;
uint32_t *qn_sim_executions;
bool qn_sim_is_old;
int64_t *qn_sim_sums;
uint8_t *qn_sim_event_of;

static uint64_t *sim_counters;

struct qn_code_line *qn_sim_code_line(uint64_t line) { return code_line_find(line); }
uint64_t qn_sim_line_bytes(void) { return code_line_count * (sizeof code_lines[0] + sizeof code_line_next[0]); }
uint64_t qn_sim_line_fixed_bytes(void) { return sizeof code_line_head + sizeof code_line_recent; }

#include "sim/levels.h"
#include "sim/told.h"

/* ---- at the start ---- */

static void init_logs(const struct qn_config *c);

/* Charges the events that modules have counted since the last reference to the site of these counters. */
static inline void charge(uint64_t *counts)
{
    if (QN_UNLIKELY(sim_events_new))
        qn_sim_charge((uint32_t)(counts - sim_counters));
}

static enum qn_sim_how how(const struct qn_config *c, enum sim_slot slot, unsigned fast)
{
    bool filter = c->filter && ((slot == SLOT_D1 && qn_sim_d1_filter.entries) || (slot == SLOT_I1 && qn_sim_i1_hit != QN_HIT_CALL));

    if (slot == SLOT_AN)
        return readers.references || readers.data || readers.instructions ? QN_HOW_CALL : readers.any ? QN_HOW_MISSES : QN_HOW_NOT;
    if (!(simulated_slots(c) >> slot & 1))
        return QN_HOW_NOT;
    if ((fast >> slot & 1) && !readers.references && !(slot == SLOT_D1 && readers.data))
        return QN_HOW_EMITTED;
    return filter ? QN_HOW_FILTER : QN_HOW_CALL;
}

static void tell_how(const struct qn_config *c, unsigned fast)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        qn_sim_service_how(slot, (uint8_t)how(c, (enum sim_slot)slot, fast));
}

void qn_sim_init(const struct qn_config *config, uint64_t *counters)
{
    static char names[QN_SIM_MODULES_MAX];
    unsigned fast;

    sim_counters = counters;
    qn_sim_describe(names, sizeof names, false);
    qn_sim_service_modules(names);
    upper_I1 = config->I1;
    upper_D1 = config->D1;
    fast = init_fast(config);
    units_init(config, simulated_slots(config) & ~fast);
    qn_sim_i1_line = config->I1.line;
    qn_sim_i1_hit = facts[SLOT_I1].hit;
    qn_sim_i1_repeat_is_noop = facts[SLOT_I1].repeat_is_noop;
    qn_sim_kinds = facts[SLOT_D1].kinds || facts[SLOT_LL].kinds;
    qn_sim_d1_filter = facts[SLOT_D1].filter;
    qn_sim_returns = facts[SLOT_BI].returns;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        qn_sim_wants_pc |= facts[slot].wants_pc;
    init_analyses(config);
    init_logs(config);
    tell_how(config, fast);
    charge(sim_counters);
}

/* ---- outcomes ---- */

/* Counts a miss of the reference with these counters, which in a replay are anywhere. */
static inline void count_miss(uint64_t *counts, unsigned ll)
{
    uint32_t counter = (uint32_t)(counts - sim_counters);

    counts[0]++;
    counts[1] += ll;
    qn_sim_sum_miss(counter, 1, ll);
    qn_sim_misses[qn_sim_miss_count++ % QN_SIM_MISSES] = (struct qn_sim_miss){qn_sim_execution(counter), counter, ll};
}

/* Counts the outcome of a level 1, QN_UNIT_* bits; after a miss it looks up the LL.  Returns bit 0: L1 miss, bit 1: LL miss. */
static inline __attribute__((always_inline)) unsigned account(unsigned l1, uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned ll;

    if (!(l1 & QN_UNIT_MISS))
        return 0;
    ll = next_level(l1, addr, size, kind);
    count_miss(counts, ll);
    return 1 | ll << 1;
}

#include "sim/fast/log.h"

/* Are references logged?  Then the D1, the last level and the counters are updated only when the log is drained. */
static inline bool logs(void) { return QN_UNLIKELY(qn_sim_log_on); }

static inline unsigned from_c(void) { return QN_UNLIKELY(qn_sim_records) ? QN_LOG_FROM_C : 0; }

static inline void note(uint64_t addr, uint32_t size, unsigned kind, const uint64_t *counts)
{
    log_note(addr, size, kind, (uint32_t)(counts - sim_counters));
}

static inline __attribute__((always_inline)) unsigned data(uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned outcome;

    if (logs()) {
        note(addr, size, qn_sim_log_kind(kind) | from_c(), counts);
        return 0;
    }
    tell_later();
    qn_sim_traffic.data++;
    refer(counts);
    if (QN_UNLIKELY(USES))
        D1_uses.site = (uint32_t)(counts - sim_counters);
    if (EXPLAINS)
        D1_users.me = qn_explain_next((uint32_t)(counts - sim_counters));
    D1_near.kind = (uint8_t)kind;
    outcome = account(D1_ref(addr, size, kind), addr, size, kind, counts);
    analyse(&(struct sim_ref){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome,
                              .site = (uint32_t)(counts - sim_counters)});
    tell(addr, size, kind, outcome, counts);
    charge(counts);
    return outcome;
}

static inline __attribute__((always_inline)) unsigned fetch(uint64_t addr, uint32_t size, uint64_t *counts)
{
    unsigned missed, outcome;

    if (QN_UNLIKELY(qn_sim_records)) {
        note(addr, size, QN_LOG_FETCH | QN_LOG_FROM_C, counts);
        return 0;
    }
    sim_pc = addr;
    missed = I1_ref(addr, size);
    qn_sim_traffic.fetches++;
    if (logs()) {
        if (missed)
            note(addr, size, QN_LOG_FETCH, counts);
        return 0;
    }
    refer(counts);
    outcome = account(missed, addr, size, SIM_FETCH, counts);
    analyse(&(struct sim_ref){.addr = addr, .pc = addr, .size = size, .kind = SIM_REF_FETCH, .outcome = (uint8_t)outcome});
    charge(counts);
    return outcome;
}

/* ---- slow calls ---- */

static inline uint64_t *site_counts(void) { return sim_counters + (qn_ctx.arg_site & QN_SITE_COUNTER_MASK); }
static inline uint32_t site_size(void) { return (uint32_t)qn_ctx.arg_site >> QN_SITE_SIZE_SHIFT; }

/* The caller has set ctx.result to 0, so this only writes it on a miss. */
static inline __attribute__((always_inline)) void slow_data(uint32_t size, unsigned kind)
{
    unsigned outcome;

    set_pc(site_counts());
    outcome = data(qn_ctx.arg_addr, size, kind, site_counts());
    if (outcome)
        qn_ctx.result = outcome;
}

SLOW void qn_sim_slow_data(void) { slow_data(site_size(), SIM_READ); }

SLOW void qn_sim_d1_missed(void)
{
    uint64_t line = qn_ctx.arg_addr & ~(uint64_t)(qn_sim_d1_filter.line - 1);

    fast_LL_ahead(line);
    if (QN_UNLIKELY(!qn_sim_later_is_empty()))
        tell_waiting(false);
    qn_sim_traffic.data++;
    refer(site_counts());
    set_pc(site_counts());
    if (QN_UNLIKELY(qn_sim_tells_lines) || EXPLAINS)
        tell_line(&(struct sim_line){.line = line, .now = fast_D1_time(line), .first = true,
                                     .victim = qn_sim_victim.line, .victim_used = qn_sim_victim.stamp});
    qn_ctx.result = account(QN_UNIT_MISS, qn_ctx.arg_addr, site_size(), SIM_READ, site_counts());
    tell(qn_ctx.arg_addr, site_size(), SIM_READ, (unsigned)qn_ctx.result, site_counts());
    charge(site_counts());
}

SLOW void qn_sim_slow_group(void)
{
    const struct qn_group_ref *ref = (const struct qn_group_ref *)(uintptr_t)qn_ctx.arg_aux;

    uint64_t results = 0;

    for (unsigned k = 0; k < qn_ctx.arg_site; k++, ref++) {
        uint64_t addr = qn_ctx.arg_addr + ref->offset;

        if (qn_filter_passes(&qn_sim_d1_filter, addr, ref->size, &qn_ctx.now))
            continue;
        set_pc(sim_counters + ref->counter);
        results |= (uint64_t)data(addr, ref->size, SIM_READ, sim_counters + ref->counter) << 2 * k;
    }
    qn_ctx.result = results;
}

/* Without qn_sim_kinds, emitted code calls qn_sim_slow_data instead of these. */
SLOW void qn_sim_slow_write(void) { slow_data(site_size(), SIM_WRITE); }
SLOW void qn_sim_slow_modify(void) { slow_data(site_size(), SIM_MODIFY); }

static inline unsigned aux_kind(void)
{
    return qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;
}

SLOW void qn_sim_slow_big(void) { slow_data((uint32_t)qn_ctx.arg_aux & 0xffff, aux_kind()); }

#ifndef QN_SIM_HOSTED /* a replay has no --explain */
#include "sim/explain_calls.h"
#endif

SLOW void qn_sim_slow_fetch(void)
{
    const struct qn_fetch_site *s = (const struct qn_fetch_site *)(uintptr_t)qn_ctx.arg_aux;
    uint32_t first = s->first ? s->first : s->last;
    unsigned outcome;

    qn_ctx.arg_site = s->site;
    qn_ctx.arg_addr = ((const struct qn_code_line *)(uintptr_t)first)->line + s->offset;
    qn_ctx.arg_aux = (uint64_t)s->first << 32 | s->last;
    outcome = fetch(qn_ctx.arg_addr, site_size(), site_counts());

    if (outcome)
        qn_ctx.result = outcome;
}

/* ---- from C ---- */

unsigned qn_sim_data_kind(uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    sim_pc = qn_ctx.arg_pc;
    if (QN_UNLIKELY(qn_sim_wants_pc && logs()))
        qn_sim_note_site((uint32_t)(counts - sim_counters), sim_pc, qn_sim_log_kind(kind));
    return data(addr, size, kind, counts);
}

/* A fetch from C, where no emitted check has passed the records of the lines. */
unsigned qn_sim_fetch(uint64_t addr, uint32_t size, uint64_t *counts)
{
    qn_ctx.arg_aux = (uintptr_t)code_line_find(addr & ~(uint64_t)(qn_sim_i1_line - 1));
    return fetch(addr, size, counts);
}

/* ---- branches ---- */

#include "sim/branches.h"

void qn_sim_charge_branch(uint64_t *mispredicts) { charge(mispredicts); }

/* ---- the end ---- */

static void print_storage(const char *slot, const struct qn_unit_facts *f)
{
    if (f->bits)
        sim_print("%s: %s, %U bits of storage", slot, f->name, f->bits);
}

SLOW void qn_sim_log_drain(void) { log_drain(); }

void qn_sim_log_recover(uint64_t next)
{
    qn_sim_log.next = next ? next : qn_sim_log.next;
    log_drain();
}

bool qn_sim_log_possible(void)
{
    if (qn_sim_analyses || qn_sim_tells_lines || qn_sim_tells_far() || USES || qn_sim_log_on)
        return false;
    return qn_fast.D1.sets ? qn_fast.I1.ways && qn_fast.LL.ways && log_fits() : unit_log_fits();
}

void qn_sim_log_switch(bool on)
{
    if (unit[SLOT_D1])
        unit_log_switch(on);
    else if (on)
        log_begin();
    else
        log_end(&qn_ctx.now);
}

bool qn_sim_back_invalidates(void) { return facts[SLOT_LL].back_invalidates; }

uint64_t qn_sim_counter(uint32_t at) { return sim_counters[at]; }

void qn_sim_finish(void)
{
    if (!qn_sim_log_is_empty())
        log_drain();
    tell_later();
    qn_sim_touches_tell();
    catch_up();
    qn_sim_twin_finish();
    print_storage("BC", &facts[SLOT_BC]);
    print_storage("BI", &facts[SLOT_BI]);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (!unit[slot])
            continue;
        if (slot <= SLOT_LL)
            AT_WORK_DO((enum sim_slot)slot, SIM_IN_FINISH, calls[slot], unit[slot]->finish());
        else /* the adapters of predictors call sim_enter themselves */
            unit[slot]->finish();
    }
    qn_readers_finish();
    charge(sim_counters);
}

bool qn_sim_at_work(struct qn_sim_culprit *c)
{
    static const char *const slots[] = SIM_SLOT_NAMES, *const functions[] = SIM_FUNCTION_NAMES;
    uint64_t call = sim_at_work[0], function = sim_at_work[1];
    unsigned slot = sim_at_work_slot(call);

    if (slot >= SLOTS)
        return false;
    *c = (struct qn_sim_culprit){.slot = slots[slot], .module = slot == SLOT_AN ? qn_readers_module() : facts[slot].name, .of = "", .reference = call >> 8,
                                 .function = function < SIM_FUNCTIONS ? functions[function] : "?"};
    if (call & SIM_AT_WORK_SECOND)
        qn_sim_twin_blame(slot, c);
    if (!c->module)
        c->module = "?";
    return true;
}
