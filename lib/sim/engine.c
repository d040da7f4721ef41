/* lib/sim/engine.c - the slow calls: emitted code calls these functions to simulate a reference or a branch.
 *
 *   a reference that does not hit under the filter -> the unit in the slot, or the fast version of a default file
 *                                                  -> on a miss the last level, in the same way -> the counters of its site
 *
 * The last level sees references in program order, because slow calls are made in program order.  Branches: branches.c.
 */
#include "sim/contract.h"

#include "base/context.h"

#include "sim/service.h"
#include "sim/explain.h"
#include "sim/observers.h"
#include "sim/slot_calls.h"
#include "sim/below.h"
#include "sim/branches.h"
#include "sim/shadow.h"
#include "sim/stream.h"

#include "sim/fast/D1.h"
#include "sim/fast/I1_LL.h"

#define SLOW QN_SIM_NCSR

struct qn_fast qn_fast;
struct qn_filter qn_sim_d1_filter;
struct qn_sim_log qn_sim_log;
bool qn_sim_log_on, qn_sim_log_all, qn_sim_log_misses, qn_sim_records, qn_sim_records_code;
struct qn_sim_vectors qn_sim_vectors = {QN_VECTORS_SCALAR, false};
enum qn_hit qn_sim_i1_hit = QN_HIT_STAMP;
uint32_t qn_sim_i1_line;
bool qn_sim_i1_repeat_is_noop = true, qn_sim_kinds, qn_sim_returns;
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
const uint8_t qn_sim_L2_event_of[] = {[QN_COST_I1MR] = 0, [QN_COST_D1MR] = 1, [QN_COST_D1MW] = 2, [QN_COST_EVENTS - 1] = 0};

uint64_t *sim_counters;

struct qn_code_line *qn_sim_code_line(uint64_t line) { return code_line_find(line); }
uint64_t qn_sim_line_bytes(void) { return code_line_count * (sizeof code_lines[0] + sizeof code_line_next[0]); }
uint64_t qn_sim_line_fixed_bytes(void) { return sizeof code_line_head + sizeof code_line_recent; }

/* ---- the caches in the slots: the unit, or the fast version of a default file ---- */

/* Emitted fetch checks pass the addresses of the records of their lines in arg_aux, since all records of the engine lie below 4 GiB. */
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

static inline __attribute__((always_inline)) unsigned I1_ref(uint64_t addr, uint32_t size)
{
    if (QN_LIKELY(qn_fast.I1.ways))
        return fast_I1_ref(addr, size, &qn_ctx.now, engine_line);
    return unit_ref(SLOT_I1, addr, size, SIM_FETCH);
}

#ifdef QN_SIM_HOSTED /* a replay has no --explain */
#define EXPLAINS false
#define UTILIZATION false
#define qn_explain_next(site) 0
#else
#define EXPLAINS QN_UNLIKELY(qn_sim_users.table)
#define UTILIZATION qn_sim_utilization
#endif

/* The data reference that is being simulated, for what is told of its lines. */
static struct {
    uint64_t addr;
    uint32_t size, site;
    unsigned kind;
} reference;

/* Who asks for lines: --explain, the hook for fills, readers of records. */
static QN_SIM_NCSR void tell_line(const struct qn_line_use *line)
{
#ifndef QN_SIM_HOSTED
    if (EXPLAINS) {
        qn_sim_users.extra += !line->first;
        qn_explain_line(line);
    }
    qn_observers_line(line);
#endif
    if (qn_sim_stream.first)
        qn_stream_line(line, reference.addr, reference.size, reference.kind, reference.site);
}

static inline bool tells_lines(void) { return UTILIZATION || (qn_sim_stream.first && !qn_sim_stream.by_reference); }

static inline __attribute__((always_inline)) unsigned D1_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_UNLIKELY(tells_lines()))
        return fast_D1_ref_told(addr, size, &qn_ctx.now, tell_line);
    if (QN_LIKELY(qn_fast.D1.sets))
        return fast_D1_ref(addr, size, &qn_ctx.now);
    return unit_ref(SLOT_D1, addr, size, kind);
}

static bool L2_missed; /* so did the reference that is being simulated */
static bool private_L2; /* each core has one, which the unit in slot D1 keeps; emitted code looks up neither L2 nor LL */

static void below_LL_init(struct qn_geometry g) { fast_LL_init(g); }
static bool below_LL(uint64_t addr, uint32_t size) { return fast_LL_ref(addr, size); }

/* Below level 1: the L2, if there is one; what misses that goes on to the LL. */
static inline __attribute__((always_inline)) bool LL_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_UNLIKELY(below_levels)) {
        unsigned outcome = below_ref(addr, size, kind);

        L2_missed |= (outcome & BELOW_L2_MISSED) != 0;
        return outcome & BELOW_MISSED;
    }
    if (QN_UNLIKELY(qn_fast.L2.ways || private_L2)) {
        if (!(private_L2 ? unit_L2(addr, size, kind) : fast_L2_ref(addr, size)))
            return false;
        L2_missed |= kind <= SIM_FETCH;
    }
    if (QN_LIKELY(LL.ways))
        return fast_LL_ref(addr, size);
    return unit_ref(SLOT_LL, addr, size, kind) & QN_UNIT_MISS;
}

static inline bool next_level(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_UNLIKELY(l1 & QN_UNIT_NEXT_DONE))
        return l1 & QN_UNIT_NEXT_MISS;
    return LL_ref(addr, size, kind);
}

SLOW bool qn_up_beyond(uint64_t addr, uint32_t size, enum sim_kind kind) { return below_beyond(addr, size, kind); }
SLOW bool qn_up_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return LL_ref(addr, size, kind); }

static struct qn_geometry upper_I1, upper_D1, upper_L2;

bool qn_sim_has_L2(void) { return upper_L2.line; }

/* Removes all lines of I1, D1 and L2 that lie in the range. */
SLOW void qn_up_back_invalidate(uint64_t line, uint32_t bytes)
{
    for (uint64_t a = line & ~(uint64_t)(upper_L2.line - 1); qn_fast.L2.ways && a < line + bytes; a += upper_L2.line)
        fast_L2_drop(a);
    for (uint64_t a = line & ~(uint64_t)(upper_D1.line - 1); a < line + bytes; a += upper_D1.line)
        if (qn_fast.D1.sets)
            fast_D1_drop(a);
        else
            unit_drop(SLOT_D1, a);
    for (uint64_t a = line & ~(uint64_t)(upper_I1.line - 1); a < line + bytes; a += upper_I1.line)
        if (qn_fast.I1.ways)
            fast_I1_drop(a, code_line_find);
        else
            unit_drop_in_all(SLOT_I1, a);
}

/* ---- at the start ---- */

static void init_L2(struct qn_geometry g)
{
    qn_sim_L2_declare();
    if (!private_L2)
        fast_L2_init(g);
#ifndef QN_SIM_HOSTED
    qn_sim_event_of = qn_engine_alloc_low(QN_ARENA_COUNTERS_SIZE / 8);
#endif
}

/* With levels of below.h, emitted code looks up neither L2 nor LL. */
static void init_below(const struct qn_config *c)
{
    qn_up_wants_writebacks = facts[SLOT_D1].tells_writebacks && qn_fast.LL.ways;
    if (qn_up_wants_writebacks)
        below_write_back(c);
    else if (c->cache_sim && qn_sim_at_L2(false))
        below_put_unit(c);
    if (below_levels || private_L2)
        qn_fast.L2.ways = qn_fast.LL.ways = 0;
}

/* Returns a bit for each slot that uses the fast version. */
static unsigned init_fast(const struct qn_config *c)
{
    unsigned slots = 0;

    if (c->cache_sim && qn_sim_is_proven(SLOT_I1)) {
        fast_I1_init(c->I1);
        facts[SLOT_I1] = (struct qn_unit_facts){.hit = QN_HIT_STAMP, .repeat_is_noop = true, .can_drop = true};
        slots |= 1u << SLOT_I1;
    }
    if (c->cache_sim && qn_sim_is_proven(SLOT_D1) && fast_D1_init(c->D1)) {
        facts[SLOT_D1] = (struct qn_unit_facts){.filter = fast_D1_filter(c->D1), .shows = QN_SHOW_RECENT, .can_drop = true};
        slots |= 1u << SLOT_D1;
    }
    if (c->cache_sim && qn_sim_is_proven(SLOT_LL)) {
        fast_LL_init(c->LL);
        slots |= 1u << SLOT_LL;
    }
    private_L2 = has_private_L2(c);
    if (c->cache_sim && c->L2.line)
        init_L2(c->L2);
    slots |= (qn_sim_is_proven(SLOT_BC) ? 1u << SLOT_BC : 0) | (qn_sim_is_proven(SLOT_BI) ? 1u << SLOT_BI : 0);
    qn_branches_init_fast(slots >> SLOT_BC & 1, slots >> SLOT_BI & 1, c->branch_sim && c->cores > 1);
    return slots;
}

/* ---- observers: analysis modules and hooks ---- */

/* Does the D1 tell of its lines?  Not if an inclusive LL removes some. */
static bool can_tell_lines(void)
{
#ifdef QN_SIM_HOSTED
    return false;
#else
    return qn_fast.D1.sets && !facts[SLOT_LL].back_invalidates;
#endif
}

/* Does --explain read records?  Else it observes all data references. */
static bool explain_reads(const struct qn_config *c)
{
#ifdef QN_SIM_HOSTED
    (void)c;
    return false;
#else
    return c->explain && c->cache_sim && c->filter && can_tell_lines() && !qn_observers.references && !qn_observers.data && qn_explain_can_read(c);
#endif
}

static void init_stream(const struct qn_config *c)
{
    unsigned explain = explain_reads(c) ? SIM_MISSES | SIM_VICTIMS : 0;

    if (!qn_observers.records && !explain)
        return;
    qn_stream_init(qn_observers.records | explain, can_tell_lines(), c->D1.line, qn_observers.records);
    if (c->calls)
        qn_stream_be_at_once();
    if (qn_sim_stream.uses)
        fast_D1_recent(qn_observers.recent);
    qn_sim_stream_full();
}

/* Sets the analyses up.  If one of them needs all references, or all data references, the hit filter is switched off for these. */
static void init_analyses(const struct qn_config *c)
{
    qn_observers = qn_observers_init(c, can_tell_lines());
    init_stream(c);
    qn_sim_observes = qn_observers.instructions;
    qn_sim_analyses = qn_observers.references || qn_observers.data || (qn_sim_stream.by_reference && (qn_observers.records & (SIM_USES | SIM_HITS)));
    qn_sim_wants_pc |= qn_observers.pc;
    qn_sim_records = qn_observers.log != NULL;
    if (!qn_sim_analyses && !qn_sim_records)
        return;
    qn_sim_d1_filter.entries = 0;
    qn_sim_wants_pc |= qn_sim_analyses;
    qn_sim_kinds = true;
    if (!qn_observers.references && !qn_sim_records)
        return;
    qn_sim_i1_hit = QN_HIT_CALL;
    qn_sim_i1_repeat_is_noop = false;
    qn_sim_returns = true;
    qn_fast.BC.counters = qn_fast.BI.targets = 0; /* qn_sim_cond and qn_sim_indirect call the analyses for branches */
}

static inline void set_pc(const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_wants_pc))
        qn_sim_set_pc((uint32_t)(counts - sim_counters));
}

static bool wants_reference; /* an observer, or the module in slot D1, wants sim_reference */

static inline void refer(const uint64_t *counts)
{
    if (QN_UNLIKELY(wants_reference))
        qn_up_refer((uint32_t)(counts - sim_counters));
}

enum qn_log_kind qn_sim_log_kind(unsigned kind)
{
    return kind == SIM_MODIFY ? QN_LOG_MODIFY : kind == SIM_WRITE ? QN_LOG_WRITE : QN_LOG_READ;
}

/* A record is the last that there is room for, or the recent lines are as many as they may be. */
SLOW void qn_sim_stream_full(void)
{
    struct qn_sim_stream *s = &qn_sim_stream;
    struct sim_record *most, *room;
    uint32_t recent = s->uses ? fast_D1_make_room() : s->batch;

    if (s->at_once)
        qn_stream_count();
    if (*s->next >= s->first + s->batch) {
        qn_stream_deliver(false);
        D1_recent.from = *s->next;
    }
    most = s->at_once || *s->next >= s->first + s->batch ? *s->next + 1 : s->first + s->batch;
    room = *s->next + recent;
    s->full = room < most ? room : most;
}

void qn_sim_stream_tell(void)
{
    if (qn_sim_stream.uses)
        fast_D1_gather();
    qn_stream_deliver(true);
    D1_recent.from = *qn_sim_stream.next;
    qn_sim_stream_full();
}

bool qn_sim_can_be_beside(void)
{
    bool modules = false;

    for (unsigned slot = 0; slot < SLOT_AN; slot++)
        modules |= unit[slot] != NULL;
    return qn_sim_stream.first && !EXPLAINS && !qn_sim_stream.at_once && !qn_sim_analyses && !qn_sim_observes && !qn_sim_wants_thread && !modules;
}

/* Ends a data reference: analyses, then the hook, are told. */
static inline void tell(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, const uint64_t *counts)
{
    uint32_t site = (uint32_t)(counts - sim_counters);

    if (QN_UNLIKELY(qn_sim_stream.by_reference))
        qn_stream_reference(&(struct sim_ref){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome, .site = site});
    if (QN_UNLIKELY(qn_sim_stream.first))
        qn_stream_end_reference(outcome);
    if (QN_UNLIKELY(qn_sim_tells_misses) && outcome)
        qn_observers_miss(addr, site, outcome >> 1 & 1);
}

/* ---- at the start ---- */

static void init_logs(const struct qn_config *c);

static enum qn_sim_how how(const struct qn_config *c, enum sim_slot slot, unsigned fast)
{
    bool filter = c->filter && ((slot == SLOT_D1 && qn_sim_d1_filter.entries) || (slot == SLOT_I1 && qn_sim_i1_hit != QN_HIT_CALL));

    if (slot == SLOT_AN)
        return qn_sim_analyses || qn_observers.instructions ? QN_HOW_CALL : qn_observers.any ? QN_HOW_MISSES : QN_HOW_NOT;
    if (!(simulated_slots(c) >> slot & 1))
        return QN_HOW_NOT;
    if ((fast >> slot & 1) && !qn_observers.references && !(slot == SLOT_D1 && qn_sim_analyses) && !(slot >= SLOT_BC && qn_branches_coupled))
        return QN_HOW_EMITTED;
    return filter ? QN_HOW_FILTER : QN_HOW_CALL;
}

static bool has_cores;

static void turn_to(uint32_t core)
{
    qn_branches_turn(core);
    units_turn(core);
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
    upper_L2 = config->L2;
    fast = init_fast(config);
    units_init(config, simulated_slots(config) & ~fast);
    init_below(config);
    qn_sim_i1_line = config->I1.line;
    qn_sim_i1_hit = facts[SLOT_I1].hit;
    qn_sim_i1_repeat_is_noop = facts[SLOT_I1].repeat_is_noop;
    qn_sim_kinds = facts[SLOT_D1].kinds || facts[SLOT_LL].kinds;
    qn_sim_d1_filter = facts[SLOT_D1].filter;
    qn_sim_returns = facts[SLOT_BI].returns;
    for (unsigned slot = 0; slot < SLOTS; slot++)
        qn_sim_wants_pc |= facts[slot].wants_pc;
    qn_branches_init(unit[SLOT_BC], unit[SLOT_BI]);
    turn_to(qn_sim_core); /* counting may begin later than the program */
    init_analyses(config);
    wants_reference = qn_observers.any || facts[SLOT_D1].wants_site;
    init_logs(config);
    has_cores = config->cores > 1;
    if (qn_sim_records && qn_sim_core)
        qn_sim_log_pair(qn_sim_core, sim_thread, QN_LOG_CORE | QN_LOG_FROM_C);
    tell_how(config, fast);
    charge(sim_counters);
}

/* ---- cores ---- */

uint32_t qn_sim_core; /* that runs */

void qn_sim_turn(uint32_t thread, uint32_t core)
{
    sim_thread = thread;
    if (qn_sim_records && has_cores)
        qn_sim_log_pair(core, thread, QN_LOG_CORE | QN_LOG_FROM_C);
    if (core == qn_sim_core)
        return;
    turn_to(core);
    if (qn_sim_shadow_on)
        qn_sim_shadow_turn(core);
    fast_I1_turn(qn_sim_core, core);
    qn_sim_core = core;
}

bool qn_sim_turn_shared(void)
{
    static uint64_t before;
    uint64_t now = unit[SLOT_D1] && unit[SLOT_D1]->shared ? unit[SLOT_D1]->shared() : 0;
    bool shared = now != before;

    before = now;
    return shared;
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

/* Counts a miss of the L2 by the reference with these counters: what they count says its kind, which emitted code does not tell.  A replay
 * has no such counters, but knows the kind. */
static void count_L2_miss(const uint64_t *counts, unsigned kind)
{
    L2_missed = false;
    sim_count(qn_sim_event_of ? qn_sim_L2_event_of[qn_sim_event_of[counts - sim_counters]] : qn_sim_L2_event(kind), 1);
}

/* Counts the outcome of a level 1, QN_UNIT_* bits; after a miss it looks up the LL.  Returns bit 0: L1 miss, bit 1: LL miss. */
static inline __attribute__((always_inline)) unsigned account(unsigned l1, uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned ll;

    if (!(l1 & QN_UNIT_MISS))
        return 0;
    ll = next_level(l1, addr, size, kind);
    if (QN_UNLIKELY(L2_missed))
        count_L2_miss(counts, kind);
    count_miss(counts, ll);
    return 1 | ll << 1;
}

#include "sim/fast/log.h"

/* Are references logged?  Then the D1, the last level and the counters are updated only when the log is drained. */
static inline bool logs(void) { return QN_UNLIKELY(qn_sim_log_on); }

static inline void note(uint64_t addr, uint32_t size, unsigned kind, const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_records))
        qn_sim_log_pair(addr, size, kind | QN_LOG_FROM_C);
    else
        log_note(addr, size, kind, (uint32_t)(counts - sim_counters));
}

static inline __attribute__((always_inline)) unsigned data(uint64_t addr, uint32_t size, unsigned kind, uint64_t *counts)
{
    unsigned outcome;

    if (logs() && !qn_sim_log_misses) {
        note(addr, size, qn_sim_log_kind(kind), counts);
        return 0;
    }
    qn_sim_traffic.data++;
    if (QN_UNLIKELY(qn_sim_log_misses)) {
        if (fast_D1_ref(addr, size, &qn_ctx.now))
            note(addr, size, qn_sim_log_kind(kind), counts);
        return 0;
    }
    refer(counts);
    if (QN_UNLIKELY(UTILIZATION))
        D1_utilization.site = (uint32_t)(counts - sim_counters);
    if (EXPLAINS)
        qn_sim_users.me = qn_explain_next((uint32_t)(counts - sim_counters));
    if (QN_UNLIKELY(qn_sim_stream.first)) {
        reference.addr = addr;
        reference.size = size;
        reference.site = (uint32_t)(counts - sim_counters);
        reference.kind = kind;
    }
    if (facts[SLOT_D1].wants_site)
        fast_LL_ahead(addr);
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
        note(addr, size, QN_LOG_FETCH, counts);
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

/* Emitted code has filled this line; with qn_sim_stream.uses, neither it nor its victim was recent. */
static inline void missed_line(const struct qn_line_use *line, unsigned kind)
{
    if (!tells_lines())
        return;
    reference.addr = qn_ctx.arg_addr;
    reference.size = site_size();
    reference.site = (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK;
    reference.kind = kind;
    tell_line(line);
}

SLOW void qn_sim_d1_missed(void)
{
    uint64_t line = qn_ctx.arg_addr & ~(uint64_t)(qn_sim_d1_filter.line - 1);
    unsigned kind = qn_sim_kinds ? qn_sim_kind((enum qn_log_kind)qn_ctx.arg_aux) : SIM_READ;

    fast_LL_ahead(line);
    qn_sim_traffic.data++;
    refer(site_counts());
    set_pc(site_counts());
    missed_line(&(struct qn_line_use){.line = line, .first = true,
                                      .victim = qn_sim_victim.stamp ? qn_sim_victim.line : QN_NO_LINE, .victim_used = qn_sim_victim.stamp}, kind);
    qn_ctx.result = account(QN_UNIT_MISS, qn_ctx.arg_addr, site_size(), kind, site_counts());
    tell(qn_ctx.arg_addr, site_size(), kind, (unsigned)qn_ctx.result, site_counts());
    charge(site_counts());
}

SLOW void qn_sim_L2_missed(void)
{
    count_L2_miss(site_counts(), SIM_READ);
    charge(site_counts());
}

SLOW void qn_sim_slow_group(void)
{
    const struct qn_group_ref *ref = (const struct qn_group_ref *)(uintptr_t)qn_ctx.arg_aux;

    uint64_t results = 0;

    for (unsigned k = 0; k < qn_ctx.arg_site; k++, ref++) {
        uint64_t addr = qn_ctx.arg_addr + ref->offset;

        if (qn_filter_passes(&qn_sim_d1_filter, addr, ref->size, false, &qn_ctx.now))
            continue;
        set_pc(sim_counters + ref->counter);
        results |= (uint64_t)data(addr, ref->size, qn_sim_kinds ? qn_sim_kind((enum qn_log_kind)ref->kind) : SIM_READ, sim_counters + ref->counter) << 2 * k;
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

/* ---- --explain: references of the lines that are explained, from translated code and from C ---- */

bool qn_sim_sees;

static SLOW unsigned show_D1(uint64_t line, uint64_t *lines)
{
    return qn_fast.D1.sets ? fast_D1_show(line, lines) : unit[SLOT_D1]->show(line, lines);
}

void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output)
{
    struct qn_explain_shows shows = {show_D1, facts[SLOT_D1].shows, qn_fast.D1.sets ? NULL : unit[SLOT_D1]->state, facts[SLOT_D1].way_state,
                                     facts[SLOT_D1].set_state};

    qn_explain_init(config, output, &shows);
    qn_sim_sees = !explain_reads(config);
    if (qn_sim_sees) {
        qn_explain_begin_seen();
        return;
    }
    D1_users.of = qn_engine_alloc_low(fast_D1_table_bytes());
    qn_explain_begin_read(D1_slots, D1_users.of, D1.slots);
    qn_sim_users.table = (uintptr_t)D1_users.of;
}

static inline unsigned see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    struct qn_explained e = {.addr = addr, .size = size, .site = (uint32_t)(counts - sim_counters), .kind = kind, .which = which};

    qn_up_refer(e.site);
    if (qn_sim_sees)
        qn_explain_before(&e);
    else
        qn_explain_before_read(&e);
    e.outcome = data(addr, size, kind, counts);
    if (qn_sim_sees)
        qn_explain_after(&e);
    else
        qn_explain_after_read(&e);
    return e.outcome;
}

/* From C: the site of such a reference is not noted. */
unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    sim_pc = qn_ctx.arg_pc;
    return see(addr, size, kind, which, counts);
}

SLOW void qn_sim_see_data(void)
{
    unsigned outcome;

    set_pc(site_counts());
    outcome = see(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, aux_kind(), (unsigned)qn_ctx.arg_aux >> QN_AUX_WHICH_SHIFT, site_counts());
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

/* ---- the end ---- */

static void print_storage(const char *slot, const struct qn_unit_facts *f)
{
    if (f->bits)
        sim_total(slot, "bits", f->bits, "bits of storage");
}

SLOW void qn_sim_log_drain(void) { log_drain(); }

void qn_sim_log_recover(uint64_t next)
{
    qn_sim_log.next = next ? next : qn_sim_log.next;
    if (!qn_sim_records)
        log_drain();
}

bool qn_sim_log_possible(void)
{
    if (qn_sim_analyses || qn_sim_stream.victims || qn_sim_stream.uses || UTILIZATION || (qn_sim_log_on && !qn_sim_log_misses))
        return false;
    return qn_fast.D1.sets ? qn_fast.I1.ways && LL_log_fits() && log_fits() : unit_log_fits();
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
    qn_sim_stream_sync();
    if (!qn_sim_branches_are_empty())
        qn_sim_branches_drain();
    qn_sim_shadow_finish();
    print_storage("BC", &facts[SLOT_BC]);
    print_storage("BI", &facts[SLOT_BI]);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (!unit[slot])
            continue;
        if (slot <= SLOT_LL)
            IN_MODULE_DO((enum sim_slot)slot, SIM_IN_FINISH, calls[slot], unit[slot]->finish());
        else /* the adapters of predictors call sim_enter themselves */
            unit[slot]->finish();
    }
    below_finish();
    qn_observers_finish();
    charge(sim_counters);
}

bool qn_sim_current_module(struct qn_sim_culprit *c)
{
    static const char *const functions[] = SIM_FUNCTION_NAMES;
    uint64_t call = sim_current[0], function = sim_current[1];
    unsigned slot = sim_current_slot(call);

    if (slot >= SLOTS)
        return false;
    *c = (struct qn_sim_culprit){.slot = unit_slot_name((enum sim_slot)slot), .module = slot == SLOT_AN ? qn_observers_module() : facts[slot].name, .of = "", .reference = call >> 8,
                                 .function = function < SIM_FUNCTIONS ? functions[function] : "?"};
    if (call & SIM_CURRENT_SECOND)
        qn_sim_shadow_blame(slot, c);
    if (!c->module)
        c->module = "?";
    return true;
}
