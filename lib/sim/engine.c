/* lib/sim/engine.c - the slots as the engine drives them.
 *
 * Includes the default module files, so that one slow call reaches the simulator without another call, and counts what
 * they answer.  References reach the LL in program order because slow calls do.
 */
#include "sim/slots.h"

#include "sim/contract.h"

#define I1_RECORD engine_line
static inline __attribute__((unused)) struct qn_code_line *engine_line(uint64_t line);

#include "sim/slot_calls.h"

#include "base/context.h"
#include "sim/charge.h"
#include "sim/describe.h"
#include "sim/explain.h"
#include "sim/twin.h"
#include "sim/versus.h"

/* Many caches below the default I1: see many/log.h. */
#if defined(QN_SIM_MANY) && defined(QN_SIM_D1_UNIT) && !defined(QN_SIM_I1_UNIT)
#define LOGS 1
#include "sim/many/many.h"
#endif

/* All caches are the default ones: see batch.h. */
#if !defined(QN_SIM_HOSTED) && !defined(QN_SIM_I1_UNIT) && !defined(QN_SIM_D1_UNIT) && !defined(QN_SIM_LL_UNIT) && !defined(QN_SIM_AN_FILE)
#define BATCHES 1
#endif

#ifdef QN_SIM_BC_UNIT
#define branchsim_BC_predict qn_unit_BC_predict
#define branchsim_BC_update qn_unit_BC_update
#else
#include QN_SIM_BC_FILE
#endif
#ifdef QN_SIM_BI_UNIT
#define branchsim_BI_target qn_unit_BI_target
#define branchsim_BI_learn qn_unit_BI_learn
#else
#include QN_SIM_BI_FILE
#endif

#define SLOW QN_SIM_NCSR

struct qn_filter qn_sim_d1_filter;
struct qn_bc_tables qn_sim_bc_tables;
struct qn_bi_table qn_sim_bi_table;
struct qn_lru_rows qn_sim_ll_rows;
struct qn_stamped_sets qn_sim_i1_sets;
struct qn_sim_log qn_sim_log;
struct qn_sim_batch qn_sim_batch;
bool qn_sim_batch_on;
enum qn_hit qn_sim_i1_hit = QN_HIT_STAMP;
uint32_t qn_sim_i1_line;
bool qn_sim_i1_repeat_is_noop = true, qn_sim_kinds, qn_sim_sees, qn_sim_returns, qn_sim_observes, sim_branch_backward;

struct qn_sim_traffic qn_sim_traffic;
uint32_t qn_sim_misses[QN_SIM_MISSES];
uint64_t qn_sim_miss_count;

static uint64_t *sim_counters;

/* A fetch check passes the records of its lines in arg_aux: in the engine, where all records lie below 4 GiB. */
static inline struct qn_code_line *engine_line(uint64_t line)
{
#ifdef QN_SIM_HOSTED
    return code_line_find(line);
#else
    struct qn_code_line *last = (struct qn_code_line *)(uintptr_t)(uint32_t)qn_ctx.arg_aux;
    struct qn_code_line *first = (struct qn_code_line *)(uintptr_t)(qn_ctx.arg_aux >> 32);

    if (QN_LIKELY(last->line == line))
        return last;
    return first && first->line == line ? first : code_line_find(line);
#endif
}

#ifdef QN_SIM_HOSTED
#define DESCRIPTION_MARK "quern-sim-replay: "
#else
#define DESCRIPTION_MARK "quern-sim-build: "
#endif
static const char description[] __attribute__((used)) = DESCRIPTION_MARK SLOTS_DESCRIPTION;

/* For builds that take these modules once more (run --versus): where their files were. */
static const char sources[] __attribute__((used)) = "quern-sim-sources: " SLOTS_SOURCES "\n";

struct qn_code_line *qn_sim_code_line(uint64_t line) { return code_line_find(line); }
uint64_t qn_sim_line_bytes(void) { return code_line_count * (sizeof code_lines[0] + sizeof code_line_next[0]); }
uint64_t qn_sim_line_fixed_bytes(void) { return sizeof code_line_head + sizeof code_line_recent; }

static void init_predictors(const struct qn_config *config)
{
    struct sim_config bc = {.slot = "BC", .seed = config->seed}, bi = {.slot = "BI", .seed = config->seed};

    (void)bc, (void)bi;
#ifdef QN_SIM_BC_UNIT
    qn_unit_BC_init(&bc, &facts[SLOT_BC]);
#endif
#if !defined(QN_SIM_BC_UNIT) && !defined(QN_SIM_AN_FILE)
    qn_sim_bc_tables = branchsim_BC_inline();
#endif
#if !defined(QN_SIM_BI_UNIT) && !defined(QN_SIM_AN_FILE)
    qn_sim_bi_table = branchsim_BI_inline();
#endif
#ifdef QN_SIM_BI_UNIT
    qn_unit_BI_init(&bi, &facts[SLOT_BI]);
#endif
}

/* An analysis module sees everything: nothing may pass unseen. */
static void init_analysis(const struct qn_config *config)
{
#ifdef QN_SIM_AN_FILE
    struct sim_config d1 = slot_config("AN", config->D1, config->seed);

    qn_sim_d1_filter.entries = 0;
    qn_sim_i1_hit = QN_HIT_CALL;
    qn_sim_i1_repeat_is_noop = false;
    qn_sim_kinds = qn_sim_returns = true;
    qn_unit_AN_init(&d1, &facts[SLOT_AN]);
    qn_sim_observes = facts[SLOT_AN].observes;
#else
    (void)config;
#endif
}

/* What modules counted since the last reference belongs to the one that counts here. */
static inline void charge(uint64_t *counts)
{
#ifdef QN_SIM_MODULES
    if (QN_UNLIKELY(sim_events_new))
        qn_sim_charge((uint32_t)(counts - sim_counters));
#else
    (void)counts;
#endif
}

void qn_sim_init(const struct qn_config *config, uint64_t *counters)
{
    sim_counters = counters;
    qn_sim_service_modules(description + sizeof DESCRIPTION_MARK - 1);
#ifdef QN_SIM_LL_UNIT
    upper_I1 = config->I1;
    upper_D1 = config->D1;
#endif
    slots_init(config);
    init_predictors(config);
    qn_sim_i1_line = config->I1.line;
    qn_sim_i1_hit = facts[SLOT_I1].hit;
    qn_sim_i1_repeat_is_noop = facts[SLOT_I1].repeat_is_noop;
    qn_sim_kinds = facts[SLOT_D1].kinds || facts[SLOT_LL].kinds;
    qn_sim_d1_filter = facts[SLOT_D1].filter;
#ifndef QN_SIM_LL_UNIT
    qn_sim_ll_rows = cachesim_LL_rows();
#endif
#ifndef QN_SIM_I1_UNIT
    qn_sim_i1_sets = cachesim_I1_sets();
#endif
#ifdef LOGS
    many_log_init(sim_counters);
#endif
    qn_sim_returns = facts[SLOT_BI].returns;
    init_analysis(config);
    charge(sim_counters);
}

/* ---- outcomes ---- */

static inline void analyse(const struct sim_ref *ref)
{
#ifdef QN_SIM_AN_FILE
    qn_unit_AN_ref(ref);
#else
    (void)ref;
#endif
}

void qn_sim_observe(const struct sim_insn *insn)
{
#ifdef QN_SIM_AN_FILE
    qn_unit_AN_insn(insn);
#else
    (void)insn;
#endif
}

/* What a level 1 said, counted: on a miss the LL is looked up.  Bit 0: L1 miss, bit 1: LL miss. */
static inline __attribute__((always_inline)) unsigned account(unsigned l1, uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned ll;

    if (!(l1 & QN_UNIT_MISS))
        return 0;
    ll = next_level(l1, addr, size, kind);
    counts[0]++;
    counts[1] += ll;
    qn_sim_misses[qn_sim_miss_count++ % QN_SIM_MISSES] = QN_SIM_MISS((uint32_t)(counts - sim_counters), ll);
    return 1 | ll << 1;
}

#ifdef BATCHES
#include "sim/batch.h"
#endif

/* Does the last level learn of misses later?  Then so do the counters, and level 1 if it is of data. */
static inline bool logs(void)
{
#if defined(LOGS)
    return qn_sim_log.entries != 0;
#elif defined(BATCHES)
    return QN_UNLIKELY(qn_sim_batch_on);
#else
    return false;
#endif
}

static inline void log_reference(uint64_t addr, uint32_t size, unsigned kind, const uint64_t *counts)
{
#if defined(LOGS)
    qn_sim_traffic.data += kind != SIM_FETCH;
    many_log_ref(addr, size, kind, (uint32_t)(counts - sim_counters));
#elif defined(BATCHES)
    batch_note(addr, size, kind, (uint32_t)(counts - sim_counters));
#else
    (void)addr, (void)size, (void)kind, (void)counts;
#endif
}

static inline __attribute__((always_inline)) unsigned data(uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned outcome;

    if (logs()) {
        log_reference(addr, size, kind, counts);
        return 0;
    }
    qn_sim_traffic.data++;
    outcome = account(D1_ref(addr, size, kind, &qn_ctx.now), addr, size, kind, counts);
    analyse(&(struct sim_ref){.addr = addr, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
    charge(counts);
    return outcome;
}

static inline __attribute__((always_inline)) unsigned fetch(uint64_t addr, uint32_t size, uint64_t *counts)
{
    unsigned missed = I1_ref(addr, size, &qn_ctx.now), outcome;

    qn_sim_traffic.fetches++;
    if (logs()) {
        if (missed)
            log_reference(addr, size, SIM_FETCH, counts);
        return 0;
    }
    outcome = account(missed, addr, size, SIM_FETCH, counts);
    analyse(&(struct sim_ref){.addr = addr, .size = size, .kind = SIM_REF_FETCH, .outcome = (uint8_t)outcome});
    charge(counts);
    return outcome;
}

/* ---- slow calls ---- */

static inline uint64_t *site_counts(void) { return sim_counters + (qn_ctx.arg_site & QN_SITE_COUNTER_MASK); }
static inline uint32_t site_size(void) { return (uint32_t)qn_ctx.arg_site >> QN_SITE_SIZE_SHIFT; }

/* ctx.result is 0 before: only a miss has to be told. */
static inline __attribute__((always_inline)) void slow_data(uint32_t size, unsigned kind)
{
    unsigned outcome = data(qn_ctx.arg_addr, size, kind, site_counts());

    if (outcome)
        qn_ctx.result = outcome;
}

SLOW void qn_sim_slow_data(void) { slow_data(site_size(), SIM_READ); }

SLOW void qn_sim_d1_missed(void)
{
    qn_sim_traffic.data++;
    qn_ctx.result = account(QN_UNIT_MISS, qn_ctx.arg_addr, site_size(), SIM_READ, site_counts());
}

SLOW void qn_sim_slow_group(void)
{
    const struct qn_group_ref *ref = (const struct qn_group_ref *)(uintptr_t)qn_ctx.arg_aux;

    for (uint64_t n = qn_ctx.arg_site; n; n--, ref++) {
        uint64_t addr = qn_ctx.arg_addr + ref->offset;

        if (!qn_filter_passes(&qn_sim_d1_filter, addr, ref->size, &qn_ctx.now))
            data(addr, ref->size, SIM_READ, sim_counters + ref->counter);
    }
}

/* Where no module asks for kinds these stay unused, and the default build keeps one copy of the path. */
SLOW void qn_sim_slow_write(void) { slow_data(site_size(), SIM_WRITE); }
SLOW void qn_sim_slow_modify(void) { slow_data(site_size(), SIM_MODIFY); }

static inline unsigned aux_kind(void)
{
    return qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;
}

SLOW void qn_sim_slow_big(void) { slow_data((uint32_t)qn_ctx.arg_aux & 0xffff, aux_kind()); }

/* ---- --explain ---- */

#ifndef QN_SIM_HOSTED
static SLOW unsigned show_D1(uint64_t line, uint64_t *lines) { return D1_show(line, lines); }

void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output)
{
    qn_sim_sees = true;
    qn_explain_init(config, output, show_D1, facts[SLOT_D1].shows);
}

static inline unsigned see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    struct qn_explained e = {.addr = addr, .size = size, .site = (uint32_t)(counts - sim_counters), .kind = kind, .which = which};

    qn_explain_before(&e);
    e.outcome = data(addr, size, kind, counts);
    qn_explain_after(&e);
    return e.outcome;
}

unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    return see(addr, size, kind, which, counts);
}

SLOW void qn_sim_see_data(void)
{
    unsigned outcome = see(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, aux_kind(),
                           (unsigned)qn_ctx.arg_aux >> QN_AUX_WHICH_SHIFT, site_counts());

    if (outcome)
        qn_ctx.result = outcome;
}
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
    return data(addr, size, kind, counts);
}

unsigned qn_sim_data(uint64_t addr, uint32_t size, uint64_t *counts) { return data(addr, size, SIM_READ, counts); }

/* Where no emitted check has passed the record. */
unsigned qn_sim_fetch(uint64_t addr, uint32_t size, uint64_t *counts)
{
    qn_ctx.arg_aux = (uintptr_t)code_line_find(addr & ~(uint64_t)(qn_sim_i1_line - 1));
    return fetch(addr, size, counts);
}

/* ---- branches ---- */

static inline bool predict_cond(uint64_t pc, bool taken)
{
    bool wrong = (branchsim_BC_predict(pc) != 0) != taken;

    branchsim_BC_update(pc, taken);
    analyse(&(struct sim_ref){.addr = pc, .kind = SIM_REF_COND, .backward = sim_branch_backward,
                              .outcome = (uint8_t)((taken ? SIM_TAKEN : 0) | (wrong ? SIM_MISPREDICT : 0))});
#ifdef QN_SIM_VERSUS
    qn_versus_cond(pc, taken, wrong);
#endif
    return wrong;
}

static inline bool predict_indirect(uint64_t pc, uint64_t target)
{
    bool wrong = branchsim_BI_target(pc) != target;

    branchsim_BI_learn(pc, target);
    analyse(&(struct sim_ref){.addr = pc, .target = target, .kind = SIM_REF_INDIRECT,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
#ifdef QN_SIM_VERSUS
    qn_versus_indirect(pc, target, wrong);
#endif
    return wrong;
}

void qn_sim_predict_call(uint64_t pc, uint64_t next)
{
#ifdef QN_SIM_BI_UNIT
    qn_unit_BI_call(next);
#endif
    analyse(&(struct sim_ref){.addr = pc, .target = next, .kind = SIM_REF_CALL});
#ifdef QN_SIM_VERSUS
    qn_versus_call(next);
#endif
}

bool qn_sim_predict_return(uint64_t pc, uint64_t target)
{
    bool wrong = false;

#ifdef QN_SIM_BI_UNIT
    wrong = qn_unit_BI_return(target);
#endif
    analyse(&(struct sim_ref){.addr = pc, .target = target, .kind = SIM_REF_RETURN,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
#ifdef QN_SIM_VERSUS
    qn_versus_return(target);
#endif
    return wrong;
}

bool qn_sim_predict_cond_to(uint64_t pc, bool taken, bool backward)
{
    sim_branch_backward = backward;
    return predict_cond(pc, taken);
}

/* A branch that a repeated string instruction is to Cachegrind goes back to itself. */
bool qn_sim_predict_cond(uint64_t pc, bool taken) { return qn_sim_predict_cond_to(pc, taken, true); }

bool qn_sim_predict_indirect(uint64_t pc, uint64_t target) { return predict_indirect(pc, target); }

SLOW void qn_sim_cond(void)
{
#if defined(QN_SIM_BC_UNIT) || defined(QN_SIM_AN_FILE)
    sim_branch_backward = (qn_ctx.arg_site & QN_SITE_BACKWARD) != 0;
#endif
    qn_sim_traffic.cond++;
    *site_counts() += predict_cond(qn_ctx.arg_pc, qn_ctx.arg_aux != 0);
    charge(site_counts());
}

SLOW void qn_sim_indirect(void)
{
    qn_sim_traffic.indirect++;
    *site_counts() += predict_indirect(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

SLOW void qn_sim_call(void)
{
    qn_sim_predict_call(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

SLOW void qn_sim_return(void)
{
    qn_sim_predict_return(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

void qn_sim_charge_branch(uint64_t *mispredicts) { charge(mispredicts); }

/* ---- the end ---- */

static void print_storage(const char *slot, const struct qn_unit_facts *f)
{
    if (f->bits)
        sim_print("%s: %s, %U bits of storage", slot, f->name, f->bits);
}

SLOW void qn_sim_log_drain(void)
{
#ifdef LOGS
    many_log_drain();
#endif
}

#ifdef BATCHES
bool qn_sim_batch_possible(void) { return batch_fits(); }
SLOW void qn_sim_batch_drain(void) { batch_drain(); }

void qn_sim_batch_recover(uint64_t next)
{
    qn_sim_batch.next = next ? next : qn_sim_batch.next;
    batch_drain();
}

void qn_sim_batch_switch(bool on)
{
    if (on)
        batch_begin();
    else
        batch_end(&qn_ctx.now);
}
#else
bool qn_sim_batch_possible(void) { return false; }
SLOW void qn_sim_batch_drain(void) {}
void qn_sim_batch_recover(uint64_t next) { (void)next; }
void qn_sim_batch_switch(bool on) { (void)on; }
#endif

void qn_sim_finish(void)
{
    qn_sim_log_drain();
    print_storage("BC", &facts[SLOT_BC]);
    print_storage("BI", &facts[SLOT_BI]);
#ifdef QN_SIM_I1_UNIT
    AT_WORK_DO(SLOT_I1, SIM_IN_FINISH, calls[SLOT_I1], qn_unit_I1_finish());
#endif
#ifdef QN_SIM_D1_UNIT
    AT_WORK_DO(SLOT_D1, SIM_IN_FINISH, calls[SLOT_D1], qn_unit_D1_finish());
#endif
#ifdef QN_SIM_LL_UNIT
    AT_WORK_DO(SLOT_LL, SIM_IN_FINISH, calls[SLOT_LL], qn_unit_LL_finish());
#endif
#ifdef QN_SIM_BC_UNIT
    qn_unit_BC_finish();
#endif
#ifdef QN_SIM_BI_UNIT
    qn_unit_BI_finish();
#endif
#ifdef QN_SIM_AN_FILE
    qn_unit_AN_finish();
#endif
#ifdef QN_SIM_VERSUS
    qn_versus_finish();
#endif
    charge(sim_counters);
}

bool qn_sim_at_work(struct qn_sim_culprit *c)
{
    static const char *const slots[] = SIM_SLOT_NAMES, *const functions[] = SIM_FUNCTION_NAMES;
    uint64_t call = sim_at_work[0], function = sim_at_work[1];
    unsigned slot = sim_at_work_slot(call);

    if (slot >= SLOTS)
        return false;
    *c = (struct qn_sim_culprit){.slot = slots[slot], .module = facts[slot].name, .of = "", .reference = call >> 8,
                                 .function = function < SIM_FUNCTIONS ? functions[function] : "?"};
    if (call & SIM_AT_WORK_SECOND)
        qn_sim_twin_blame(slot, c);
    if (!c->module)
        c->module = "?";
    return true;
}
