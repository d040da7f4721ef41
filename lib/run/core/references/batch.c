/* lib/run/core/references/batch.c - decides whether references go through the hit filter, or are logged and simulated in batches (sim/fast/log.h).
 *
 *   miss rate of the D1 since the last measurement     8%         27%         24%         16%
 *   from then on                                       filter     batches     batches     filter
 *
 * The filter is faster if nearly all references hit.  A batch is faster if so many miss that the processor cannot predict which: from a
 * quarter on with vectors, from a third on without (sim/fast/rows.h; doc/performance-history.md has the measurements).  The miss
 * rate is measured after every three million misses, when translated code returns, from the counters of all blocks.  The counts do not
 * depend on the decision.
 *
 * Code for batches has a scope of its own (space.c), so the translations of both kinds stay in the code cache.
 */
#include "run/core/references/batch.h"

#include "cost/count.h"
#include "run/run.h"
#include "run/core/space.h"
#include "sim/contract.h"

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

static struct totals all_blocks(void)
{
    int64_t sum[QN_COST_EVENTS] = {0};

    for (uint64_t i = 0; i < qn_arena->n_blocks; i++) {
        const struct qn_block_rec *b = qn_arena_block((uint32_t)i);
        const uint64_t *counters = qn_arena_counters() + b->misses;
        uint64_t executions = qn_arena_counters()[b->counter];

        for (unsigned k = 0; executions && k < b->ninsns; k++) {
            uint32_t d = qn_arena_desc(b, k);

            qn_cost_count(d, executions, counters, sum);
            counters += qn_insn_counters(d);
        }
    }
    return (struct totals){sum[QN_COST_DR] + sum[QN_COST_DW], sum[QN_COST_D1MR] + sum[QN_COST_D1MW]};
}

void qn_batch_look(void)
{
    struct totals now = all_blocks();
    int64_t references = now.references - then.references, misses = now.misses - then.misses;
    const struct limits *l = &limits[qn_sim_vectors.with];
    bool wanted = 100 * misses >= (on ? l->few : l->many) * references;

    pause = wanted != on ? look : pause < PATIENCE * look ? 2 * pause : pause;
    qn_batch_misses_left = pause;
    then = now;
    switch_to(wanted);
}
