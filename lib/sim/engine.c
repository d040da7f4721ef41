/* lib/sim/engine.c - the slots as the engine drives them: slow calls come in here, and what they answer is counted.
 *
 *   a reference that no filter has let pass -> the unit in the slot, or the fast one that stands in for a default file
 *                                           -> on a miss the last level, the same way -> the counters of its site
 *
 * References reach the last level in program order because slow calls do.
 *
 * Longer than 400 lines: the look-up, the count and what analyses are told are inlined into each slow call.
 */
#include "sim/contract.h"

#include "base/context.h"
#include "sim/charge.h"
#include "sim/explain.h"
#include "sim/readers.h"
#include "sim/slot_calls.h"
#include "sim/twin.h"

#include "sim/fast/BC.h"
#include "sim/fast/BI.h"
#include "sim/fast/D1.h"
#include "sim/fast/I1.h"
#include "sim/fast/LL.h"

#define SLOW QN_SIM_NCSR

struct qn_fast qn_fast;
struct qn_filter qn_sim_d1_filter;
struct qn_sim_log qn_sim_log;
struct qn_sim_branches qn_sim_branches;
bool qn_sim_log_on, qn_sim_log_all, qn_sim_records;
struct qn_sim_vectors qn_sim_vectors = {QN_VECTORS_SCALAR, false};
enum qn_hit qn_sim_i1_hit = QN_HIT_STAMP;
uint32_t qn_sim_i1_line;
bool qn_sim_i1_repeat_is_noop = true, qn_sim_kinds, qn_sim_sees, qn_sim_returns, qn_sim_observes, qn_sim_analyses, qn_sim_wants_pc;
bool qn_sim_tells_misses, qn_sim_tells_lines, qn_sim_tells_far;
struct qn_sim_users qn_sim_users;
struct qn_filter_entry qn_sim_victim;
bool sim_branch_backward;
uint64_t sim_pc;

struct qn_sim_traffic qn_sim_traffic;
uint32_t qn_sim_misses[QN_SIM_MISSES];
uint64_t qn_sim_miss_count;
int64_t *qn_sim_sums;
uint8_t *qn_sim_event_of;

static uint64_t *sim_counters;
static uint64_t *site_pc; /* by site, if a module wants to know; above it, the kind of the reference */
#define SITE_KIND_SHIFT 60
#define SITE_PC_MASK ((1ull << SITE_KIND_SHIFT) - 1)

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

struct qn_code_line *qn_sim_code_line(uint64_t line) { return code_line_find(line); }
uint64_t qn_sim_line_bytes(void) { return code_line_count * (sizeof code_lines[0] + sizeof code_line_next[0]); }
uint64_t qn_sim_line_fixed_bytes(void) { return sizeof code_line_head + sizeof code_line_recent; }

/* ---- a unit, or the fast one ---- */

static inline __attribute__((always_inline)) unsigned I1_ref(uint64_t addr, uint32_t size)
{
    if (QN_LIKELY(qn_fast.I1.ways))
        return fast_I1_ref(addr, size, &qn_ctx.now, engine_line);
    return unit_ref(SLOT_I1, addr, size, SIM_FETCH);
}

#ifdef QN_SIM_HOSTED /* a replay explains nothing */
#define EXPLAINS false
#define qn_explain_next(site) 0
#define tell_explain NULL
#else
#define EXPLAINS QN_UNLIKELY(qn_sim_users.table)

/* --explain: what comes and leaves, and by whom. */
static QN_SIM_NCSR void tell_explain(const struct sim_line *line)
{
    qn_explain_line(line, D1_users.was);
    if (qn_sim_tells_lines)
        qn_readers_line(line);
}
#endif

static inline __attribute__((always_inline)) unsigned D1_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (EXPLAINS)
        return fast_D1_ref_told(addr, size, &qn_ctx.now, tell_explain);
    if (QN_UNLIKELY(qn_sim_tells_far))
        return fast_D1_ref_near(addr, size, &qn_ctx.now, qn_readers_line, qn_readers_far);
    if (QN_UNLIKELY(qn_sim_tells_lines))
        return fast_D1_ref_told(addr, size, &qn_ctx.now, qn_readers_line);
    if (QN_LIKELY(qn_fast.D1.sets))
        return fast_D1_ref(addr, size, &qn_ctx.now);
    return unit_ref(SLOT_D1, addr, size, kind);
}

static inline __attribute__((always_inline)) bool LL_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_LIKELY(qn_fast.LL.ways))
        return fast_LL_ref(addr, size);
    return unit_ref(SLOT_LL, addr, size, kind) & QN_UNIT_MISS;
}

static inline bool next_level(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_UNLIKELY(l1 & QN_UNIT_NEXT_DONE))
        return l1 & QN_UNIT_NEXT_MISS;
    return LL_ref(addr, size, kind);
}

SLOW bool qn_up_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return LL_ref(addr, size, kind); }

static struct qn_geometry upper_I1, upper_D1;

/* Each of the upper levels' lines that lies in the range goes. */
SLOW void qn_up_back_invalidate(uint64_t line, uint32_t bytes)
{
    for (uint64_t a = line & ~(uint64_t)(upper_D1.line - 1); a < line + bytes; a += upper_D1.line)
        if (qn_fast.D1.sets)
            fast_D1_drop(a);
        else
            unit_drop(SLOT_D1, a);
    for (uint64_t a = line & ~(uint64_t)(upper_I1.line - 1); a < line + bytes; a += upper_I1.line)
        if (qn_fast.I1.ways)
            fast_I1_drop(a, code_line_find);
        else
            unit_drop(SLOT_I1, a);
}

/* ---- at the start ---- */

/* The slots where the fast one stands in: a bit each. */
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
    if (qn_sim_is_proven(SLOT_BC)) {
        fast_BC_init();
        slots |= 1u << SLOT_BC;
    }
    if (qn_sim_is_proven(SLOT_BI)) {
        fast_BI_init();
        slots |= 1u << SLOT_BI;
    }
    return slots;
}

/* ---- at the start: what is written down ---- */

static void init_logs(const struct qn_config *c);

uint32_t sim_older_places(uint64_t time, uint32_t enough) { return fast_D1_older(time, enough); }

uint32_t sim_count_places(uint64_t time, uint32_t shift, uint32_t counts[SIM_PLACE_COUNTS]) { return fast_D1_count(time, shift, counts); }

static struct qn_readers readers;

/* How many of the lines touched last are near: those of 1 KiB, where curves begin. */
#define NEAR_BYTES 1024u

static uint32_t near_lines(uint32_t line)
{
    uint32_t n = NEAR_BYTES / line;

    return n < 1 ? 1 : n > D1_NEAR_MAX ? D1_NEAR_MAX : n;
}

uint64_t sim_lines_touched(void) { return qn_engine_references() + D1_near.touched; }

/* What analyses can be told without a call for each reference.  Lines: as long as nobody but the D1 takes lines out of it. */
static struct qn_readers_offer offer(const struct qn_config *c)
{
#ifdef QN_SIM_HOSTED
    (void)c;
    return (struct qn_readers_offer){.lines = false};
#else
    bool stamps = c->filter && qn_fast.D1.sets && !facts[SLOT_LL].back_invalidates;

    return (struct qn_readers_offer){.lines = stamps, .near = stamps ? near_lines(c->D1.line) : 0, .counts = true};
#endif
}

/* An analysis that sees everything: nothing may pass unseen. */
static void init_analyses(const struct qn_config *c)
{
    readers = qn_readers_init(c, offer(c));
    qn_sim_observes = readers.instructions;
    qn_sim_analyses = readers.references;
    qn_sim_tells_misses = readers.misses;
    qn_sim_tells_lines = readers.lines;
    qn_sim_tells_far = readers.far;
    fast_D1_near(near_lines(c->D1.line));
    qn_sim_wants_pc |= readers.pc;
    qn_sim_records = readers.log != NULL;
    if (!qn_sim_analyses && !qn_sim_records)
        return;
    qn_sim_d1_filter.entries = 0;
    qn_sim_i1_hit = QN_HIT_CALL;
    qn_sim_i1_repeat_is_noop = false;
    qn_sim_kinds = qn_sim_returns = true;
    qn_sim_wants_pc = qn_sim_analyses;
    qn_fast.BC.counters = qn_fast.BI.targets = 0; /* their outcomes are told by qn_sim_cond and qn_sim_indirect */
}

/* What modules counted since the last reference belongs to the one that counts here. */
static inline void charge(uint64_t *counts)
{
    if (QN_UNLIKELY(sim_events_new))
        qn_sim_charge((uint32_t)(counts - sim_counters));
}

static enum qn_sim_how how(const struct qn_config *c, enum sim_slot slot, unsigned fast)
{
    bool filter = c->filter && ((slot == SLOT_D1 && qn_sim_d1_filter.entries) || (slot == SLOT_I1 && qn_sim_i1_hit != QN_HIT_CALL));

    if (slot == SLOT_AN)
        return readers.references || readers.instructions ? QN_HOW_CALL : readers.any ? QN_HOW_MISSES : QN_HOW_NOT;
    if (!(simulated_slots(c) >> slot & 1))
        return QN_HOW_NOT;
    if ((fast >> slot & 1) && !qn_sim_analyses)
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

void qn_sim_note_site(uint32_t site, uint64_t pc, enum qn_log_kind kind)
{
    if (!site_pc)
        site_pc = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    site_pc[site] = pc | (uint64_t)kind << SITE_KIND_SHIFT;
}

void qn_sim_set_pc(uint32_t site)
{
    if (qn_sim_wants_pc)
        sim_pc = site_pc ? site_pc[site] & SITE_PC_MASK : 0;
}

static inline void set_pc(const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_wants_pc))
        qn_sim_set_pc((uint32_t)(counts - sim_counters));
}

/* ---- outcomes ---- */

static inline void analyse(const struct sim_ref *ref)
{
    if (QN_UNLIKELY(qn_sim_analyses))
        qn_readers_reference(ref);
}

void qn_sim_observe(const struct sim_insn *insn) { qn_readers_instruction(insn); }

static enum sim_kind kind_of(enum qn_log_kind kind)
{
    static const uint8_t kinds[] = {[QN_LOG_READ] = SIM_READ, [QN_LOG_WRITE] = SIM_WRITE, [QN_LOG_FETCH] = SIM_FETCH,
                                    [QN_LOG_MODIFY] = SIM_MODIFY};

    return (enum sim_kind)kinds[kind];
}

enum qn_log_kind qn_sim_log_kind(unsigned kind)
{
    return kind == SIM_MODIFY ? QN_LOG_MODIFY : kind == SIM_WRITE ? QN_LOG_WRITE : QN_LOG_READ;
}

static qn_miss_hook *on_miss;

void qn_sim_tell_misses(qn_miss_hook *hook)
{
    on_miss = hook;
    qn_sim_tells_misses = true;
}

/* Emitted code does not say what kind of reference it was where no module in a slot asks for that. */
static QN_SIM_NCSR void tell_miss(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, const uint64_t *counts)
{
    const uint64_t *site = site_pc ? &site_pc[counts - sim_counters] : NULL;

    if (on_miss)
        on_miss(addr, (uint32_t)(counts - sim_counters), outcome >> 1 & 1);
    if (!readers.misses)
        return;
    if (kind == SIM_READ && site)
        kind = kind_of((enum qn_log_kind)(*site >> SITE_KIND_SHIFT));
    qn_readers_miss(&(struct sim_miss){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
}

/* A reference to data, to those who ask for misses. */
static inline void tell(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_tells_misses) && outcome)
        tell_miss(addr, size, kind, outcome, counts);
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
    qn_sim_sum_miss((uint32_t)(counts - sim_counters), 1, ll);
    qn_sim_misses[qn_sim_miss_count++ % QN_SIM_MISSES] = QN_SIM_MISS((uint32_t)(counts - sim_counters), ll);
    return 1 | ll << 1;
}

#include "sim/fast/log.h"
#include "sim/fast/log_D1.h"

uint64_t *qn_sim_log_to(const struct qn_log_consumer *consumer)
{
    log_to = consumer;
    log_init();
    qn_sim_log_on = true;
    return sim_counters;
}

#include "sim/fast/log_unit.h"
#include "sim/fast/log_words.h"

/* Does the last level learn of misses later?  Then so do the counters, and level 1 if it is of data. */
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
    qn_sim_traffic.data++;
    if (EXPLAINS)
        D1_users.me = qn_explain_next((uint32_t)(counts - sim_counters));
    outcome = account(D1_ref(addr, size, kind), addr, size, kind, counts);
    tell(addr, size, kind, outcome, counts);
    analyse(&(struct sim_ref){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
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
    outcome = account(missed, addr, size, SIM_FETCH, counts);
    analyse(&(struct sim_ref){.addr = addr, .pc = addr, .size = size, .kind = SIM_REF_FETCH, .outcome = (uint8_t)outcome});
    charge(counts);
    return outcome;
}

/* ---- slow calls ---- */

static inline uint64_t *site_counts(void) { return sim_counters + (qn_ctx.arg_site & QN_SITE_COUNTER_MASK); }
static inline uint32_t site_size(void) { return (uint32_t)qn_ctx.arg_site >> QN_SITE_SIZE_SHIFT; }

/* ctx.result is 0 before: only a miss has to be told. */
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
    qn_sim_traffic.data++;
    set_pc(site_counts());
    if (QN_UNLIKELY(qn_sim_tells_lines))
        qn_readers_line(&(struct sim_line){.line = line, .first = true, .victim = qn_sim_victim.line, .victim_used = qn_sim_victim.stamp});
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
static SLOW unsigned show_D1(uint64_t line, uint64_t *lines)
{
    return qn_fast.D1.sets ? fast_D1_show(line, lines) : unit[SLOT_D1]->show(line, lines);
}

void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output)
{
    struct qn_explain_shows shows = {show_D1, facts[SLOT_D1].shows, qn_fast.D1.sets ? NULL : unit[SLOT_D1]->state, facts[SLOT_D1].way_state,
                                     facts[SLOT_D1].set_state};

    qn_explain_init(config, output, &shows);
    qn_sim_sees = !offer(config).lines || qn_sim_analyses || qn_sim_tells_far || !qn_explain_can_be_told(config);
    if (qn_sim_sees) {
        qn_explain_begin_seen();
        return;
    }
    qn_explain_begin_told(config);
    D1_users.of = qn_engine_alloc_low(fast_D1_table_bytes());
    qn_sim_users.table = (uintptr_t)D1_users.of;
}

static inline unsigned see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    struct qn_explained e = {.addr = addr, .size = size, .site = (uint32_t)(counts - sim_counters), .kind = kind, .which = which};

    set_pc(counts);
    if (qn_sim_sees)
        qn_explain_before(&e);
    else
        qn_explain_before_told(&e);
    e.outcome = data(addr, size, kind, counts);
    if (qn_sim_sees)
        qn_explain_after(&e);
    else
        qn_explain_after_told(&e, D1_users.was);
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
    sim_pc = qn_ctx.arg_pc;
    if (QN_UNLIKELY(qn_sim_wants_pc && logs()))
        qn_sim_note_site((uint32_t)(counts - sim_counters), sim_pc, qn_sim_log_kind(kind));
    return data(addr, size, kind, counts);
}

/* Where no emitted check has passed the record. */
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
    if (qn_sim_analyses || qn_sim_tells_lines || qn_sim_tells_far || qn_sim_log_on)
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
    catch_up();
    qn_sim_twin_finish();
    print_storage("BC", &facts[SLOT_BC]);
    print_storage("BI", &facts[SLOT_BI]);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (!unit[slot])
            continue;
        if (slot <= SLOT_LL)
            AT_WORK_DO((enum sim_slot)slot, SIM_IN_FINISH, calls[slot], unit[slot]->finish());
        else /* they say themselves who is at work */
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
