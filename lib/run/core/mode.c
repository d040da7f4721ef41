/* lib/run/core/mode.c - execution modes: translations that count and translations that do not, side by side.
 *
 * A mode is a scope and a variant of it (QN_MODE in tcache.h).
 *
 *   scope 0       does not count: only the guest's own instructions
 *   scope 1       counts
 *   scope 2, ...  count for regions 1, ... (region.c)
 *   scope 253     simulates, and what it counts is of nobody (--toggle-collect)
 *   scope 254     counts as scope 1, but references are simulated in batches (reference.c)
 *   scope 255     does not count: between windows of observed instructions (insns.c)
 *   a variant     of a scope that counts: control leaves the block before each instruction; observed instructions count
 *
 * The dispatcher enters the scope in qn_mode.  Blocks of other scopes can be reached only through the dispatcher (tcache.h), so a switch
 * between scopes costs as much as a jump that is not linked yet, and all translations stay in the code cache.  Simulators are set up when
 * the first scope that counts is used.
 */
#include "run/core/references/references.h"
#include "run/core/core.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/fast/fast.h"
#include "sim/service.h"
#include "sim/shadow.h"
#include "tcache/tcache.h"

#define CLOCK_PROCESS_CPUTIME 2

unsigned qn_mode;

static struct qn_mode_rules off, on, aside, batch, rest, steps;
static bool simulating;

static uint32_t smallest_line(const struct qn_config *c)
{
    uint32_t line = c->I1.line < c->D1.line ? c->I1.line : c->D1.line;

    line = c->L2.line && c->L2.line < line ? c->L2.line : line;
    return c->LL.line < line ? c->LL.line : line;
}

static struct qn_sim_vectors vectors(const struct qn_config *c)
{
    enum qn_vectors has = qn_host_vectors();

    return (struct qn_sim_vectors){c->vectors && c->vectors < has ? c->vectors : has, qn_host_serves(QN_HOST_AVX512F)};
}

static void tell_choices(const struct qn_emit_rules *rules)
{
    struct qn_stats *s = &qn_arena->stats;

    s->rorx = rules->has_bmi2;
    s->vectors = qn_sim_vectors.with;
    s->state_bytes = qn_frame_fpu_bytes();
}

static void start_simulation(const struct qn_config *c)
{
    if (!c->cache_sim && !c->branch_sim && !c->observes)
        return;
    simulating = true;
    qn_sim_service_init(&qn_arena->sim_output, qn_arena_at(QN_ARENA_CHARGES_OFF), qn_arena_text(c->sim_opt));
    qn_sim_rows_init((uint8_t *)qn_arena_at(QN_ARENA_TABLES_OFF), &qn_arena->sim_output.tables);
    qn_sim_choose(qn_arena_text(c->sim_slots), qn_arena_text(c->versus ? c->versus_slots : c->sim_slots));
    qn_sim_vectors = vectors(c);
    qn_sim_init(c, qn_arena_counters());
    if (c->check)
        qn_sim_shadow_init(c, c->versus ? &qn_arena->versus : NULL);
    steps.emit.steps = true;
    steps.emit.filter = c->filter;
}

bool qn_mode_simulating(void) { return simulating; }

/* Must fetches from the line that was fetched just before be simulated, too? */
static bool every_fetch(const struct qn_config *c)
{
    return !qn_sim_i1_repeat_is_noop || !c->filter || (c->versus && !qn_sim_repeats);
}

static struct qn_mode_rules counting_rules(const struct qn_config *c)
{
    return (struct qn_mode_rules){
        .emit = {.caches = c->cache_sim, .branches = c->branch_sim, .counts = true, .check = c->check, .versus = c->versus, .log_all = qn_sim_log_all, .log_misses = qn_sim_log_misses, .record = qn_sim_records, .stats = c->stats,
                 .filter = c->filter, .sees = qn_sim_sees,
                 .has_bmi2 = qn_host_has(QN_HOST_BMI2), .serves_avx = qn_host_serves(QN_HOST_AVX), .serves_avx512 = qn_host_serves(QN_HOST_AVX512F)},
        .event = {.cachegrind = c->counting == QN_COUNTING_CACHEGRIND, .caches = c->cache_sim, .branches = c->branch_sim,
                  .i1_line = c->I1.line, .i1_every = every_fetch(c), .check = c->check, .returns = qn_sim_returns,
                  .i1_sets = c->I1.line ? c->I1.size / (c->I1.assoc * c->I1.line) : 1,
                  .clamp = c->counting == QN_COUNTING_CACHEGRIND ? smallest_line(c) : 0},
    };
}

/* Instructions behind which the trap flag traps. */
static const struct qn_mode_rules *trapping(unsigned mode)
{
    static struct qn_mode_rules rules;

    rules = *qn_mode_rules(QN_SCOPE(mode));
    QN_TELL(rules, &rules.emit, mode);
    return &rules;
}

const struct qn_mode_rules *qn_mode_rules(unsigned mode)
{
    if (QN_VARIANT(mode) == QN_VARIANT_TRAPS)
        return trapping(mode);
    if (QN_VARIANT(mode) == QN_VARIANT_STEPS)
        return &steps;
    switch (QN_SCOPE(mode)) {
    case QN_SCOPE_OFF: return &off;
    case QN_SCOPE_ASIDE: return &aside;
    case QN_SCOPE_BATCH: return &batch;
    case QN_SCOPE_REST: return &rest;
    default: return &on;
    }
}

static uint64_t *tables[QN_SCOPES]; /* of indirect branches; the first one has a second part */

static bool take_table(unsigned scope)
{
    static bool first_taken;

    if (!tables[scope])
        tables[scope] = first_taken ? qn_engine_try_alloc_low(QN_IBL_ENTRIES * sizeof *tables[scope]) : qn_ibl_table;
    first_taken = true;
    return tables[scope];
}

/* Regions leave room for the scopes that are no region's. */
bool qn_mode_has_room(unsigned scope)
{
    static bool full;

    if (scope == QN_SCOPE_ON || tables[scope])
        return true;
    full = full || !take_table(scope) || !take_table(QN_SCOPE_OFF) || !take_table(QN_SCOPE_ON) || !take_table(QN_SCOPE_ASIDE) ||
           !take_table(QN_SCOPE_BATCH) || !take_table(QN_SCOPE_REST);
    return !full;
}

static void open_scope(unsigned scope)
{
    uint64_t *table = take_table(scope) ? tables[scope] : qn_engine_alloc_low(QN_IBL_ENTRIES * sizeof *table); /* which ends the run */
    bool first = table == qn_ibl_table;

    QN_TELL(rules, &off.emit, QN_SCOPE_OFF);
    if (scope != QN_SCOPE_OFF && !on.emit.counts) { /* also for QN_SCOPE_REST */
        start_simulation(qn_cfg());
        QN_TELL(start, qn_cfg());
        if (simulating)
            qn_beside_begin(qn_cfg());
        on = counting_rules(qn_cfg());
        QN_TELL(rules, &on.emit, QN_SCOPE_ON);
        QN_TELL(rules, &rest.emit, QN_SCOPE_REST);
        QN_TELL(rules, &steps.emit, QN_MODE(QN_SCOPE_ON, QN_VARIANT_STEPS));
        aside = batch = on;
        aside.emit.aside = true;
        batch.emit.log_all |= !qn_fast.D1.sets;
        batch.emit.batch = !batch.emit.log_all;
        batch.emit.log_misses = false;
        qn_batch_init();
        if (qn_cfg()->stats)
            tell_choices(&on.emit);
    }
    qn_emit_set_rules(&qn_mode_rules(scope)->emit);
    qn_tcache_add_scope(scope, table, first, qn_emit_add_miss_stub(scope, table, first));
}

/* ---- how much of the run is counted ---- */

static uint64_t since;    /* ns: the time of the last change */
static int counting = -1; /* since then: 1 counting, 0 not; -1: before the first change */

static uint64_t processor_time(void)
{
    struct { int64_t sec, nsec; } now = {0, 0};

    qn_sys2(__NR_clock_gettime, CLOCK_PROCESS_CPUTIME, (long)&now);
    return (uint64_t)now.sec * 1000000000u + (uint64_t)now.nsec;
}

void qn_mode_note_time(void)
{
    uint64_t now = processor_time();

    if (counting >= 0)
        qn_arena->time[counting] += now - since;
    since = now;
}

void qn_mode_forked(void)
{
    qn_batch_forked();
    since = processor_time();
    qn_arena->partly = counting != 1;
    qn_arena->counted = counting == 1;
}

/* Only one thread runs at a time, so the process's time is that of the running thread. */
static void note_change(bool counts)
{
    if (counts == counting)
        return;
    qn_mode_note_time();
    counting = counts;
    if (counts)
        qn_arena->counted = 1;
    else
        qn_arena->partly = 1;
}

void qn_mode_choose(unsigned scope)
{
    bool counts = scope != QN_SCOPE_OFF && scope != QN_SCOPE_ASIDE;

    if (QN_UNLIKELY(!qn_tcache_ibl_table(scope)))
        open_scope(scope);
    if (scope == QN_SCOPE_REST) /* samples: the profile says how many instructions were observed */
        qn_arena->partly = 1;
    else
        note_change(counts);
    qn_mode = scope;
    QN_TELL(counting, scope != QN_SCOPE_OFF);
}
