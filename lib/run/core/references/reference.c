/* lib/run/core/references/reference.c - one reference through the hit filter; many at once; or batches in place of the filter. */
#include "run/core/references/references.h"

#include "run/core/core.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "sim/shadow.h"

/* As in Cachegrind, a reference that is larger than a line has the size of a line. */
static uint32_t clamp(uint32_t size)
{
    uint32_t most = qn_mode_rules(QN_SCOPE_ON)->event.clamp;

    return most && size > most ? most : size;
}

/* May references of this kind hit under the filter at all? */
static inline bool may_pass(unsigned access)
{
    return qn_cfg()->filter && !(qn_sim_d1_filter.writes_call && (access & QN_ACC_WRITE));
}

/* --explain: does this reference call qn_sim_see: because its source line is explained, or because all do? */
static bool is_seen(void) { return qn_sim_sees || (qn_sim_users.table && qn_probes_explain(qn_ctx.arg_pc)); }

static bool passes_shadow(const struct qn_filter_entry *e)
{
    return !qn_sim_shadow.entries || e->line == *(uint64_t *)(uintptr_t)(qn_sim_shadow.entries + (uintptr_t)e - qn_sim_d1_filter.entries);
}

/* --versus: counts a reference that changes nothing in either simulator. */
static bool passes_twice(uint64_t addr, uint32_t size)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    if (!qn_sim_shadow.entries || !passes_shadow((struct qn_filter_entry *)(uintptr_t)(f->entries + (addr >> f->shift & f->mask))) ||
        !qn_filter_passes(f, addr, size, false, &qn_ctx.now))
        return false;
    ++*qn_sim_shadow.count;
    sim_pc = qn_ctx.arg_pc;
    return true;
}

void qn_run_reference(uint64_t addr, uint32_t size, uint64_t *pair, unsigned access)
{
    unsigned outcome = 0;

    size = clamp(size);
    if (passes_twice(addr, size))
        return;
    if (is_seen())
        outcome = qn_sim_see(addr, size, qn_run_kind(access), qn_probes_explain(qn_ctx.arg_pc), pair);
    else if (qn_sim_users.table || qn_sim_utilization || !may_pass(access) || !qn_filter_passes(&qn_sim_d1_filter, addr, size, access & QN_ACC_WRITE, &qn_ctx.now))
        outcome = qn_sim_data_kind(addr, size, qn_run_kind(access), pair);
    sim_pc = qn_ctx.arg_pc; /* also after a hit under the filter */
    if (qn_cfg()->check)
        qn_sim_shadow_data(addr, size, qn_run_kind(access), outcome, (uint32_t)(pair - qn_arena_counters()));
}

/* The number of references, from the stream's next one on, that lie in the line of this one; 0: it straddles two lines. */
static uint64_t within_line(const struct qn_stream *s)
{
    uint32_t line = qn_sim_d1_filter.line, at = (uint32_t)s->addr & (line - 1);

    if (at + s->size > line)
        return 0;
    return (s->step > 0 ? (line - s->size - at) / (uint64_t)s->step : at / (uint64_t)-s->step) + 1;
}

/* Does a module or an option need each reference by itself? */
static bool one_by_one(const struct qn_stream *streams, unsigned n)
{
    if (is_seen() || (qn_cfg()->check && !qn_sim_shadow.entries) || !qn_sim_d1_filter.entries)
        return true;
    for (unsigned k = 0; k < n; k++)
        if (!may_pass(streams[k].access))
            return true;
    return false;
}

static void advance(struct qn_stream *streams, unsigned n, uint64_t times)
{
    for (unsigned k = 0; k < n; k++)
        streams[k].addr += (uint64_t)streams[k].step * times;
}

static void each_once(struct qn_stream *streams, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        qn_run_reference(streams[k].addr, streams[k].size, streams[k].pair, streams[k].access);
    advance(streams, n, 1);
}

/* --explain: records the last user of the lines of these entries. */
static void note_users(const struct qn_stream *streams, struct qn_filter_entry *const *e, unsigned n, uint64_t times)
{
    struct qn_sim_users *u = &qn_sim_users;

    if (QN_LIKELY(!u->table))
        return;
    u->now += n * times * QN_USER_ONE;
    for (unsigned k = 0; k < n; k++)
        *(uint64_t *)(uintptr_t)(u->table + (uintptr_t)e[k] - qn_sim_d1_filter.entries) =
            u->now - (n - 1 - k) * (uint64_t)QN_USER_ONE + (uint64_t)(streams[k].pair - qn_arena_counters());
}

/* --data=use: marks the bytes of the lines of these entries that the streams use. */
static void note_uses(const struct qn_stream *streams, struct qn_filter_entry *const *e, unsigned n, uint64_t times)
{
    const uint64_t line = qn_sim_d1_filter.line;

    for (unsigned k = 0; k < n && QN_UNLIKELY(qn_sim_utilization); k++) {
        uint8_t *used = (uint8_t *)(uintptr_t)(qn_sim_utilization + ((uintptr_t)e[k] - qn_sim_d1_filter.entries) / sizeof *e[k] * line);

        for (uint64_t t = 0, at = streams[k].addr & (line - 1); t < times; t++, at += (uint64_t)streams[k].step)
            for (uint32_t i = 0; i < streams[k].size; i++)
                used[at + i] = QN_USED;
    }
}

/* Makes up to `times` references of each stream, as long as all hit under the filter in the same lines.  Returns their number.  The stamp of
 * stream k of n is the final time less n - 1 - k, as if the references had been made one after the other. */
static uint64_t pass_together(struct qn_stream *streams, unsigned n, uint64_t times)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    struct qn_filter_entry *e[QN_STREAMS_MAX];

    for (unsigned k = 0; k < n; k++) {
        uint64_t within = within_line(&streams[k]);

        times = within < times ? within : times;
        e[k] = (struct qn_filter_entry *)(uintptr_t)(f->entries + (streams[k].addr >> f->shift & f->mask));
        if (!times || (streams[k].addr ^ e[k]->line) >= f->line || !passes_shadow(e[k]))
            return 0;
    }
    if (f->stamps) {
        qn_ctx.now += n * times;
        for (unsigned k = 0; k < n; k++)
            e[k]->stamp = qn_ctx.now - (n - 1 - k);
    }
    if (QN_UNLIKELY(qn_sim_shadow.entries))
        *qn_sim_shadow.count += n * times;
    note_users(streams, e, n, times);
    note_uses(streams, e, n, times);
    advance(streams, n, times);
    return times;
}

/* For a recorder: logs all of them in a few words. */
static void write_down(const struct qn_stream *streams, unsigned n, uint64_t times)
{
    struct qn_log_stream log[QN_STREAMS_MAX] = {{0, 0, 0, 0}};

    for (unsigned k = 0; k < n; k++)
        log[k] = (struct qn_log_stream){.addr = streams[k].addr, .step = (uint64_t)streams[k].step, .size = clamp(streams[k].size),
                                        .kind = (uint8_t)qn_sim_log_kind(qn_run_kind(streams[k].access))};
    qn_sim_log_run(log, n, times);
}

void qn_run_references(struct qn_stream *streams, unsigned n, uint64_t times)
{
    bool singly = one_by_one(streams, n);

    if (qn_sim_records) {
        write_down(streams, n, times);
        advance(streams, n, times);
        return;
    }

    while (times) {
        uint64_t passed = singly ? 0 : pass_together(streams, n, times);

        if (!passed) {
            each_once(streams, n);
            passed = 1;
        }
        times -= passed;
    }
}

/* ---- the hit filter, or a log of references that are simulated in batches (sim/fast/log.h)? ----
 *
 *   miss rate of the D1 since the last measurement     8%         27%         24%         16%
 *   from then on                                       filter     batches     batches     filter
 *
 * The filter is faster if nearly all references hit.  A batch is faster if so many miss that the processor cannot predict which: from a
 * quarter on with vectors, from a third on without (sim/fast/rows.h; doc/performance-history.md has the measurements).  The miss
 * rate is measured after every three million misses, when translated code returns, from the counters of all blocks.  The counts do not
 * depend on the decision.
 *
 * Code for batches has a scope of its own (mode.c), so the translations of both kinds stay in the code cache.
 */

#define LOOK 3000000u      /* misses: some hundredths of a second; measuring 100,000 blocks takes some milliseconds */
#define LOOK_OFTEN 1000u   /* --batch=often */
#define PATIENCE 16u       /* if measurements change nothing, the distance between them grows to so many times the first one */

/* Per cent of references that miss: from `many` on, batches begin; below `few`, they end. */
static const struct limits {
    uint8_t many, few;
} limits[] = {[QN_VECTORS_SCALAR] = {33, 30}, [QN_VECTORS_AVX2] = {25, 20}, [QN_VECTORS_AVX512] = {25, 20}};

uint64_t qn_batch_misses_left = UINT64_MAX;

static uint64_t look = UINT64_MAX, pause = UINT64_MAX; /* misses from a change to the next measurement; from the last one to the next */
static struct totals {
    int64_t references, misses;
} then;

static bool on;

static void switch_to(bool wanted)
{
    if (on == wanted)
        return;
    on = wanted;
    qn_sim_log_switch(wanted);
    qn_arena->stats.batches += wanted;
}

/* Are batches possible?  Not with modules that see each reference at once, with other counts than the default ones, or with two
 * simulators (check).  With --data only if batches are asked for, because stack frames are known only at the time of the miss. */
static bool allows(const struct qn_config *c)
{
    return c->cache_sim && c->filter && !c->versus && !c->explain && !c->calls && !c->observes && !c->interval && (!c->data || c->batch != QN_BATCH_AUTO) &&
           c->batch != QN_BATCH_NEVER && qn_sim_log_possible();
}

void qn_batch_init(void)
{
    const struct qn_config *c = qn_cfg();

    if (!allows(c))
        return;
    if (c->batch == QN_BATCH_ALWAYS) {
        switch_to(true);
        return;
    }
    qn_batch_misses_left = pause = look = c->batch == QN_BATCH_OFTEN ? LOOK_OFTEN : LOOK;
}

/* Regions have scopes of their own, and there are no batch scopes for these. */
unsigned qn_batch_scope(unsigned scope)
{
    if (QN_LIKELY(!on) || scope == QN_SCOPE_OFF)
        return scope;
    if (scope == QN_SCOPE_ON)
        return QN_SCOPE_BATCH;
    switch_to(false);
    qn_batch_misses_left = UINT64_MAX;
    return scope;
}

/* The counts of a new process begin at 0. */
void qn_batch_forked(void) { then = (struct totals){0, 0}; }

void qn_batch_look(void)
{
    int64_t sum[QN_COST_EVENTS], references, misses;
    const struct limits *l = &limits[qn_sim_vectors.with];
    struct totals now;
    bool wanted;

    qn_arena_sum(sum);
    now = (struct totals){sum[QN_COST_DR] + sum[QN_COST_DW], sum[QN_COST_D1MR] + sum[QN_COST_D1MW]};
    references = now.references - then.references;
    misses = now.misses - then.misses;
    wanted = 100 * misses >= (on ? l->few : l->many) * references;
    pause = wanted != on ? look : pause < PATIENCE * look ? 2 * pause : pause;
    qn_batch_misses_left = pause;
    then = now;
    switch_to(wanted);
}
