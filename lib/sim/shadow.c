/* lib/sim/shadow.c - the second simulator (the shadow model).  It simulates every reference and branch right after the first one, in units of
 * its own, without any filter.
 *
 *   --check    the shadow model has the same modules, but neither emitted code nor sim/fast does any of their work.  The first reference
 *              for which outcomes, miss counters, or events of modules differ stops the run, with a message that names it.
 *   --versus   the shadow model has B's modules; differences are counted.
 *
 * While the first simulator logs references (sim/fast/log.h), it finds its misses later than the shadow model does.  Then a queue holds
 * the misses that only one of them has found; both must find the same misses in the same order.
 */
#define QN_SIM_SHADOW 1
#include "sim/shadow.h"

#include "base/context.h"
#include "base/format.h"
#include "sim/lines.h"
#include "sim/service.h"
#include "sim/slot_calls.h"
#include "sim/below.h"

#define SLOW QN_SIM_NCSR

uint64_t *qn_sim_repeats;
bool qn_sim_shadow_on, qn_sim_shadow_logs;
struct qn_sim_shadow qn_sim_shadow;

static struct qn_versus *versus; /* NULL: --check */
static struct lines L2, LL; /* L2: sets 0: there is none, or each core has one; LL: the default one below a module at the L2 */
static bool private_L2;
static uint64_t number;          /* of the reference being made */
static uint64_t to_come;         /* references of a group that only the first simulator has seen yet */
static struct qn_geometry upper_I1, upper_D1;

static void begin_counters(void);

/* ---- --versus ----
 *
 *   A: D1 = lru     B: D1 = fifo        reference 17 of the run: A hits, B misses, the LL has it
 *
 * A uses its hit filter, B sees all references that could differ, both in program order.  There is only one execution, so both see exactly the same
 * references.  B's misses are events, charged to the instruction like those of modules: the profile has the column B.D1mr beside D1mr.  Events that B's
 * own modules declare are not shown. */

enum { L1_MISS = 1, LL_MISS = 2 };

uint64_t qn_versus_counted;

static unsigned level1[QN_VERSUS_KINDS], level2[QN_VERSUS_KINDS]; /* events: misses of each level, mispredicts in level1 */

static void declare_caches(void)
{
    level1[QN_VERSUS_FETCH] = sim_event("B", "I1mr", "I1 misses of the second simulator");
    level2[QN_VERSUS_FETCH] = sim_event("B", "ILmr", "LL misses of its fetches");
    level1[QN_VERSUS_READ] = level1[QN_VERSUS_MODIFY] = sim_event("B", "D1mr", "its D1 read misses");
    level2[QN_VERSUS_READ] = level2[QN_VERSUS_MODIFY] = sim_event("B", "DLmr", "its LL misses of reads");
    level1[QN_VERSUS_WRITE] = sim_event("B", "D1mw", "its D1 write misses");
    level2[QN_VERSUS_WRITE] = sim_event("B", "DLmw", "its LL misses of writes");
}

static void declare_branches(void)
{
    level1[QN_VERSUS_COND] = sim_event("B", "Bcm", "its mispredicted conditional branches");
    level1[QN_VERSUS_INDIRECT] = sim_event("B", "Bim", "its mispredicted indirect branches");
}

static void versus_init(const struct qn_config *config)
{
    if (config->cache_sim)
        declare_caches();
    if (config->branch_sim)
        declare_branches();
}

static QN_SIM_NCSR void note_difference(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t site, unsigned a, unsigned b)
{
    versus->different++;
    versus->worse += b > a;
    versus->better += b < a;
    if (versus->first)
        return;
    versus->first = qn_versus_counted - (uint64_t)qn_sim_shadow.ahead;
    versus->addr = addr;
    versus->size = size;
    versus->site = site;
    versus->kind = (uint8_t)kind;
    versus->a = (uint8_t)a;
    versus->b = (uint8_t)b;
}

static QN_SIM_NCSR void count_outcomes(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t site, unsigned a, unsigned b)
{
    versus->references = qn_versus_counted;
    if (b & L1_MISS)
        sim_count(level1[kind], 1);
    if (b & LL_MISS)
        sim_count(level2[kind], 1);
    if (a != b)
        note_difference(kind, addr, size, site, a, b);
}

/* --versus: is this slot the same in A and B?  Both have the default file, no last level removes lines from it, and B's last level sees
 * only its misses. */
static bool is_same(enum sim_slot slot)
{
    return qn_sim_is_proven(slot) && qn_sim_is_proven_in(slot, true) && !qn_sim_back_invalidates() && !facts[SLOT_LL].back_invalidates &&
           !facts[SLOT_LL].wants_evictions;
}

/* Do both filters have their entries at the same offsets, and let all kinds of references pass? */
static bool is_alike(const struct qn_filter *a, const struct qn_filter *b)
{
    return a->entries && b->entries && a->shift == b->shift && a->mask == b->mask && a->line == b->line && !a->writes_call && !b->writes_call;
}

static void let_pass(const struct qn_config *c)
{
    if (!versus || !c->cache_sim || !c->filter)
        return;
    qn_sim_shadow = (struct qn_sim_shadow){.filter = facts[SLOT_D1].filter, .code_lines = facts[SLOT_I1].hit == QN_HIT_NOTHING,
                                       .same_I1 = is_same(SLOT_I1), .same_D1 = is_same(SLOT_D1), .count = &qn_versus_counted};
    if (qn_sim_shadow.filter.stamps)
        qn_sim_shadow.filter.entries = 0;
    if (qn_sim_shadow.same_D1)
        qn_sim_shadow.filter = qn_sim_d1_filter;
    if (is_alike(&qn_sim_shadow.filter, &qn_sim_d1_filter))
        qn_sim_shadow.entries = qn_sim_shadow.filter.entries;
}

struct qn_code_line *qn_sim_shadow_code_line(uint64_t line) { return code_line_find(line); }

/* B's modules may need sim_pc, kinds or returns although A's do not. */
static void ask_for_facts(void)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        qn_sim_wants_pc |= facts[slot].wants_pc;
    qn_sim_returns |= facts[SLOT_BI].returns || (unit[SLOT_BC] && unit[SLOT_BC]->path);
    if (versus && qn_sim_i1_repeat_is_noop && (facts[SLOT_I1].repeat_is_noop || qn_sim_shadow.same_I1))
        qn_sim_repeats = &qn_versus_counted;
}

void qn_sim_shadow_init(const struct qn_config *config, struct qn_versus *where)
{
    versus = where;
    if (versus) {
        versus_init(config);
        qn_sim_describe(versus->modules, sizeof versus->modules, true);
    }
    upper_I1 = config->I1;
    upper_D1 = config->D1;
    *(versus ? &qn_sim_events_hidden : &qn_sim_events_of_shadow) = true;
    if (config->L2.line && config->cache_sim)
        qn_sim_L2_declare();
    private_L2 = has_private_L2(config);
    if (config->L2.line && config->cache_sim && !private_L2)
        lines_init(&L2, config->L2.size / (config->L2.assoc * config->L2.line), config->L2.assoc, qn_log2(config->L2.line));
    units_init(config, simulated_slots(config));
    qn_shadow_up_wants_writebacks = facts[SLOT_D1].tells_writebacks && (versus ? qn_sim_is_proven_in(SLOT_LL, true) : qn_up_wants_writebacks);
    if (qn_shadow_up_wants_writebacks)
        below_write_back(config);
    else if (config->cache_sim && qn_sim_at_L2(true))
        below_put_unit(config);
    qn_sim_events_hidden = qn_sim_events_of_shadow = false;
    let_pass(config);
    qn_sim_shadow_turn(qn_sim_core);
    ask_for_facts();
    if (!versus)
        begin_counters();
    qn_sim_shadow_on = true;
    qn_sim_shadow_logs = qn_sim_log_on;
}

void qn_sim_shadow_turn(uint32_t core) { units_turn(core); }

void qn_sim_shadow_blame(unsigned slot, struct qn_sim_culprit *c)
{
    c->module = facts[slot].name;
    c->of = versus ? " of B" : "";
}

/* ---- the levels ---- */

static void below_LL_init(struct qn_geometry g) { lines_init(&LL, g.size / (g.assoc * g.line), g.assoc, qn_log2(g.line)); }

/* In this level: does the reference miss? */
static bool misses(struct lines *l, uint64_t addr, uint32_t size)
{
    bool missed = false;

    for (uint64_t line = addr >> l->bits, last = (addr + size - 1) >> l->bits; line <= last; line++)
        if (!lines_find(l, line << l->bits)) {
            lines_add(l, line << l->bits, 0);
            missed = true;
        }
    return missed;
}

static bool below_LL(uint64_t addr, uint32_t size) { return misses(&LL, addr, size); }

static bool L2_missed;  /* so did the reference that is being simulated */

static bool misses_L2(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    bool missed = misses(&L2, addr, size);

    L2_missed |= missed && kind <= SIM_FETCH;
    return missed;
}

SLOW bool qn_shadow_up_beyond(uint64_t addr, uint32_t size, enum sim_kind kind) { return below_beyond(addr, size, kind); }

SLOW bool qn_shadow_up_next(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (below_levels) {
        unsigned outcome = below_ref(addr, size, kind);

        L2_missed |= (outcome & BELOW_L2_MISSED) != 0;
        return outcome & BELOW_MISSED;
    }
    if (L2.sets && !misses_L2(addr, size, kind))
        return false;
    if (private_L2 && !unit_L2(addr, size, kind))
        return false;
    L2_missed |= private_L2 && kind <= SIM_FETCH;
    return unit_ref(SLOT_LL, addr, size, kind) & QN_UNIT_MISS;
}

static inline bool next_level(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    bool missed = l1 & QN_UNIT_NEXT_DONE ? (l1 & QN_UNIT_NEXT_MISS) != 0 : qn_shadow_up_next(addr, size, kind);

    if (L2_missed && !versus)
        sim_count(SIM_EVENTS_MAX + qn_sim_L2_event(kind), 1);
    L2_missed = false;
    return missed;
}

/* Never called: the shadow model simulates one reference at a time. */
void qn_shadow_up_missed(const struct qn_log_entry *e, unsigned outcome) { (void)e, (void)outcome; }
void qn_shadow_up_set_pc(const struct qn_log_entry *e) { (void)e; }
void qn_shadow_up_charge(uint32_t site) { (void)site; }

SLOW void qn_shadow_up_back_invalidate(uint64_t line, uint32_t bytes)
{
    for (uint64_t a = line & ~((1ull << L2.bits) - 1); L2.sets && a < line + bytes; a += 1ull << L2.bits)
        lines_remove(&L2, a);
    for (uint64_t a = line & ~(uint64_t)(upper_D1.line - 1); a < line + bytes; a += upper_D1.line)
        unit_drop(SLOT_D1, a);
    for (uint64_t a = line & ~(uint64_t)(upper_I1.line - 1); a < line + bytes; a += upper_I1.line)
        unit_drop_in_all(SLOT_I1, a);
}

/* first: the outcome in the first simulator. */
static inline unsigned outcome_of(enum sim_slot slot, uint64_t addr, uint32_t size, enum sim_kind kind, unsigned first)
{
    bool same = slot == SLOT_I1 ? qn_sim_shadow.same_I1 : qn_sim_shadow.same_D1;
    unsigned l1 = same ? (first & 1 ? QN_UNIT_MISS : 0) : unit_ref(slot, addr, size, kind);

    return l1 & QN_UNIT_MISS ? 1u | (unsigned)next_level(l1, addr, size, kind) << 1 : 0;
}

/* ---- --check: comparison ---- */

static const char *outcome_name(bool branch, unsigned outcome)
{
    if (branch)
        return outcome ? "mispredicted" : "predicted";
    return outcome == 0 ? "hit" : outcome == 1 ? "miss, LL hit" : "miss, LL miss";
}

static SLOW _Noreturn void differ(enum sim_slot slot, uint64_t reference, uint64_t addr, const char *how)
{
    char line[240];

    qn_format(line, sizeof line, "module %s in slot %s, reference %lu at %lx: %s", facts[slot].name, unit_slot_name(slot), reference, addr, how);
    qn_engine_check_failed(line);
}

/* An event is named by its slot, "D1.fills"; those of the L2 are told as slot LL's. */
static enum sim_slot slot_of_event(unsigned event)
{
    static const char *const slots[] = SIM_SLOT_NAMES;
    const char *name = qn_sim_event_name(event);
    unsigned slot = 0;

    if (name[1] == '2')
        return SLOT_LL;
    while (slot < SLOTS - 1 && (slots[slot][0] != name[0] || slots[slot][1] != name[1]))
        slot++;
    return (enum sim_slot)slot;
}

/* The events of the modules must be the same, too, wherever both simulators have seen the same references. */
static void compare_events(uint64_t addr)
{
    char how[120];

    for (uint64_t left = qn_sim_events_shadowed; left; left &= left - 1) {
        unsigned event = (unsigned)__builtin_ctzll(left);
        uint64_t first = sim_counted(event), shadow = sim_event_new[SIM_EVENTS_MAX + event];

        if (first == shadow)
            continue;
        qn_format(how, sizeof how, "%s: %lu, but %lu if each reference is a call", qn_sim_event_name(event), first, shadow);
        differ(slot_of_event(event), number, addr, how);
    }
}

static void compare(enum sim_slot slot, uint64_t reference, uint64_t addr, unsigned outcome, unsigned shadow)
{
    bool branch = slot == SLOT_BC || slot == SLOT_BI;
    char how[120];

    if (outcome == shadow)
        return;
    if (slot <= SLOT_D1 && !((outcome ^ shadow) & 1)) /* level 1 has the same outcome */
        slot = SLOT_LL;
    qn_format(how, sizeof how, "%s, but %s if each %s is a call", outcome_name(branch, outcome), outcome_name(branch, shadow),
              branch ? "branch" : "reference");
    differ(slot, reference, addr, how);
}

/* ---- --check: counters of misses ----
 *
 * A counter is compared at each miss of its site and at the end of the run.  So if a hit has changed it by mistake, this is found at
 * the next miss or at the end.  Logged references are compared at the end.  Branches that C counts after their simulation are not
 * compared. */

static uint64_t *made; /* by counter: misses of the shadow model; NULL: counters are not compared */
static uint32_t made_end;
static uint8_t *made_in; /* by counter: the slot + 1 */

static void begin_counters(void)
{
#ifndef QN_SIM_HOSTED
    made = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    made_in = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE / 8);
#endif
}

static void compare_counter(uint32_t at, uint64_t reference, uint64_t addr)
{
    char how[120];

    if (QN_LIKELY(qn_sim_counter(at) == made[at]))
        return;
    qn_format(how, sizeof how, "its counter has %lu misses, but %lu if each reference is a call", qn_sim_counter(at), made[at]);
    differ((enum sim_slot)(made_in[at] - 1), reference, addr, how);
}

static void count_made(enum sim_slot slot, uint32_t at, unsigned shadow)
{
    uint32_t n = slot <= SLOT_D1 ? 2 : 1;

    if (!made || !shadow)
        return;
    made[at] += shadow & 1;
    if (n == 2)
        made[at + 1] += shadow >> 1;
    for (uint32_t k = 0; k < n; k++)
        made_in[at + k] = (uint8_t)(k ? SLOT_LL + 1 : slot + 1);
    made_end = at + n > made_end ? at + n : made_end;
}

static void compare_counters(enum sim_slot slot, uint32_t at, unsigned shadow, uint64_t addr)
{
    if (!made || !shadow)
        return;
    compare_counter(at, number, addr);
    if (slot <= SLOT_D1)
        compare_counter(at + 1, number, addr);
}

void qn_sim_shadow_finish(void)
{
    if (versus)
        versus->references = qn_versus_counted;
    for (uint32_t at = 0; at < made_end; at++)
        if (made_in[at])
            compare_counter(at, number, 0);
}

void qn_sim_shadow_undo(uint32_t counter, unsigned ll)
{
    if (!made)
        return;
    made[counter]--;
    made[counter + 1] -= ll;
}

/* ---- misses that become known later ---- */

#define QUEUE 4096u /* more misses than a full log and the blocks that fill it can cause */

struct miss {
    uint64_t number, addr;
    uint32_t site;
    uint8_t outcome, fetch;
};

/* Misses of the caches, or mispredicts, that only one of the two simulators has found yet. */
static struct queue {
    struct miss miss[QUEUE];
    uint32_t first, waiting;
    bool shadows; /* the shadow model has found them */
    bool branches;
} caches, branches = {.branches = true};

static enum sim_slot slot_of(const struct queue *q, const struct miss *m)
{
    return q->branches ? SLOT_BC : m->fetch ? SLOT_I1 : SLOT_D1;
}

static void compare_misses(const struct queue *q, const struct miss *made, const struct miss *shadow)
{
    if (made->site != shadow->site)
        differ(slot_of(q, shadow), shadow->number, shadow->addr, "another one misses next than if each is a call");
    compare(slot_of(q, shadow), shadow->number, shadow->addr, made->outcome, shadow->outcome);
}

/* The other simulator did not find the first miss of the queue: reports the difference. */
static void differ_waiting(const struct queue *q)
{
    const struct miss *m = &q->miss[q->first % QUEUE];

    if (q->shadows)
        compare(slot_of(q, m), m->number, m->addr, 0, m->outcome);
    else
        compare(slot_of(q, m), m->number, m->addr, m->outcome, 0);
}

static void take_miss(struct queue *q, struct miss m, bool is_shadows)
{
    if (q->waiting && q->shadows != is_shadows) {
        const struct miss *other = &q->miss[q->first++ % QUEUE];

        q->waiting--;
        compare_misses(q, is_shadows ? other : &m, is_shadows ? &m : other);
        return;
    }
    if (q->waiting == QUEUE)
        differ_waiting(q);
    q->shadows = is_shadows;
    q->miss[(q->first + q->waiting++) % QUEUE] = m;
}

void qn_sim_shadow_missed(uint64_t addr, unsigned outcome, uint32_t site)
{
    take_miss(&caches, (struct miss){number, addr, site, (uint8_t)outcome, false}, false);
}

void qn_sim_shadow_mispredicted(uint64_t pc, uint32_t site)
{
    take_miss(&branches, (struct miss){number, pc, site, 1, false}, false);
}

void qn_sim_shadow_drained(void)
{
    if (caches.waiting)
        differ_waiting(&caches);
    if (branches.waiting)
        differ_waiting(&branches);
    compare_events(0);
}

/* ---- from C ---- */

static inline uint32_t site(void) { return (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK; }

#define NO_COUNTER UINT32_MAX

static inline void follow(enum sim_slot slot, enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t at, unsigned outcome,
                          unsigned shadow)
{
    number++;
    if (versus) {
        count_outcomes(kind, addr, size, at, outcome, shadow);
        if (sim_events_new)
            qn_sim_charge(at);
        return;
    }
    if (at != NO_COUNTER)
        count_made(slot, at, shadow);
    if ((qn_sim_shadow_logs && slot <= SLOT_D1) || outcome == QN_RESULT_LATER) {
        if (shadow)
            take_miss(slot <= SLOT_D1 ? &caches : &branches, (struct miss){number, addr, at, (uint8_t)shadow, slot == SLOT_I1}, true);
    } else {
        compare(slot, number, addr, outcome, shadow);
        if (at != NO_COUNTER)
            compare_counters(slot, at, shadow, addr);
        if (qn_sim_events_shadowed && !to_come && !qn_sim_shadow_logs && !qn_sim_branches.next)
            compare_events(addr);
    }
}

static inline void shadow_data(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t at)
{
    follow(SLOT_D1, (enum qn_versus_kind)(QN_VERSUS_READ + kind), addr, size, at, outcome,
           outcome_of(SLOT_D1, addr, size, (enum sim_kind)kind, outcome));
}

void qn_sim_shadow_data(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t at)
{
    qn_versus_counted++;
    shadow_data(addr, size, kind, outcome, at);
}

static inline void shadow_fetch(uint64_t addr, uint32_t size, unsigned outcome, uint32_t at)
{
    sim_pc = addr;
    follow(SLOT_I1, QN_VERSUS_FETCH, addr, size, at, outcome, outcome_of(SLOT_I1, addr, size, SIM_FETCH, outcome));
}

void qn_sim_shadow_fetch(uint64_t addr, uint32_t size, unsigned outcome, uint32_t at)
{
    qn_versus_counted++;
    shadow_fetch(addr, size, outcome, at);
}

static void tell_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind)
{
    if (unit[SLOT_BC] && unit[SLOT_BC]->path)
        unit[SLOT_BC]->path(pc, target, kind);
}

static void cond(uint64_t pc, bool taken, bool backward, unsigned wrong, uint32_t at)
{
    qn_versus_counted++;
    sim_branch_backward = backward;
    if (!unit[SLOT_BC])
        return;
    follow(SLOT_BC, QN_VERSUS_COND, pc, 0, at, wrong, unit[SLOT_BC]->cond(pc, taken));
    if (unit[SLOT_BI]->outcome)
        unit[SLOT_BI]->outcome(pc, taken);
}

void qn_sim_shadow_cond(uint64_t pc, bool taken, bool backward, unsigned wrong, uint32_t at)
{
    cond(pc, taken, backward, wrong, versus ? at : NO_COUNTER);
}

void qn_sim_shadow_indirect(uint64_t pc, uint64_t target, bool wrong, uint32_t at)
{
    qn_versus_counted++;
    if (!unit[SLOT_BI])
        return;
    follow(SLOT_BI, QN_VERSUS_INDIRECT, pc, 0, at, wrong, unit[SLOT_BI]->indirect(pc, target));
    tell_path(pc, target, SIM_REF_INDIRECT);
}

void qn_sim_shadow_call(uint64_t pc, uint64_t next)
{
    if (unit[SLOT_BI])
        unit[SLOT_BI]->call(next);
    tell_path(pc, next, SIM_REF_CALL);
}

/* --versus does not compare returns, only the events that modules count for them. */
void qn_sim_shadow_return(uint64_t pc, uint64_t target, bool wrong, uint32_t at)
{
    bool shadow = unit[SLOT_BI] && unit[SLOT_BI]->returned(target);

    tell_path(pc, target, SIM_REF_RETURN);
    (void)at; /* a return has no counter of its own */
    if (!versus && unit[SLOT_BI])
        follow(SLOT_BI, QN_VERSUS_INDIRECT, target, 0, NO_COUNTER, wrong, shadow);
}

/* ---- from emitted code ---- */

/* Counts a reference, unless its block has counted it. */
static inline void count(void)
{
    if (!qn_sim_shadow.count)
        qn_versus_counted++;
}

SLOW void qn_sim_check_data(void)
{
    unsigned kind = qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;

    count();
    qn_sim_set_pc(site());
    shadow_data(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, kind, (unsigned)qn_ctx.result, site());
}

SLOW void qn_sim_check_group(void)
{
    const struct qn_group_ref *ref = (const struct qn_group_ref *)(uintptr_t)qn_ctx.arg_aux;
    int64_t ahead = qn_sim_shadow.ahead;

    for (unsigned k = 0; k < qn_ctx.arg_site; k++, ref++) {
        uint64_t addr = qn_ctx.arg_addr + ref->offset;
        unsigned outcome = (unsigned)(qn_ctx.result >> 2 * k) & 3;

        qn_sim_shadow.ahead = ahead - ref->after;
        to_come = qn_ctx.arg_site - k - 1;
        count();
        qn_sim_set_pc(ref->counter);
        shadow_data(addr, ref->size, qn_sim_kind((enum qn_log_kind)ref->kind), outcome, ref->counter);
    }
}

/* --versus: is it a fetch from the line that was fetched just before?  Nearly all fetches are, and in most modules they change nothing. */
static inline bool is_repeat(uint64_t addr, uint32_t size)
{
    static uint64_t touched = QN_NO_LINE;
    uint64_t mask = ~(uint64_t)(qn_sim_i1_line - 1), from = addr & mask, to = (addr + size - 1) & mask;
    bool same = from == touched && to == touched && facts[SLOT_I1].repeat_is_noop;

    touched = to;
    return same;
}

SLOW void qn_sim_check_fetch(void)
{
    uint64_t addr = qn_ctx.arg_addr;
    uint32_t size = (uint32_t)qn_ctx.arg_aux & 0xffff;

    count();
    if (versus && !qn_sim_shadow.count && is_repeat(addr, size) && !qn_ctx.result)
        return;
    shadow_fetch(addr, size, (unsigned)qn_ctx.result, site());
}

SLOW void qn_sim_check_cond(void)
{
    cond(qn_ctx.arg_pc, qn_ctx.arg_aux != 0, qn_ctx.arg_site & QN_SITE_BACKWARD, (unsigned)qn_ctx.result, site());
}

SLOW void qn_sim_check_indirect(void)
{
    qn_sim_shadow_indirect(qn_ctx.arg_pc, qn_ctx.arg_addr, qn_ctx.result != 0, site());
}

SLOW void qn_sim_check_call(void) { qn_sim_shadow_call(qn_ctx.arg_pc, qn_ctx.arg_addr); }

SLOW void qn_sim_check_return(void) { qn_sim_shadow_return(qn_ctx.arg_pc, qn_ctx.arg_addr, qn_ctx.result != 0, site()); }
