/* lib/run/core/batch.c - when are references written down and simulated many at a time (sim/fast/log.h), instead of asking a filter for each?
 *
 *   D1 misses of references since the last look     8%         27%         24%         16%
 *   from here on                                    filter     batches     batches     filter
 *
 * A filter is best where nearly all references hit, and a batch where so many miss that nobody can predict which: from about a fifth
 * on with vectors, from a third on without (sim/fast/rows.h, doc/performance.md).  That is looked at whenever three millions have
 * missed, by the counts of all blocks, when translated code is left.  Nothing that is counted depends on it.
 *
 * Code for batches has a home of its own (space.c), so it stays when filters are used again, and the other way round.
 */
#include "run/core/batch.h"

#include "cost/count.h"
#include "run/run.h"
#include "run/core/space.h"
#include "sim/contract.h"

#define LOOK 3000000u      /* misses: some hundredths of a second, while a look at 100,000 blocks takes some milliseconds */
#define LOOK_OFTEN 1000u   /* --batch=often */
#define PATIENCE 16u       /* looks that change nothing are made less and less often, up to so much */

/* Per cent of references that miss: from `many` on batches, from less than `few` on the filter. */
static const struct limits {
    uint8_t many, few;
} limits[] = {[QN_VECTORS_SCALAR] = {33, 30}, [QN_VECTORS_AVX2] = {25, 20}, [QN_VECTORS_AVX512] = {25, 20}};

uint64_t qn_batch_misses_left = UINT64_MAX;

static uint64_t look = UINT64_MAX, pause = UINT64_MAX; /* misses from a change to the next look; from the last look to the next */
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

/* Modules that are told of references as they happen, other counts than the default ones, and comparisons of two simulators (check) see each
 * reference by itself; so does --data, which knows frames on the stack at the time of a miss alone, unless batches are asked for. */
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

/* Regions have homes of their own, which are not made twice. */
unsigned qn_batch_home(unsigned home)
{
    if (QN_LIKELY(!on) || home == QN_HOME_OFF)
        return home;
    if (home == QN_HOME_ON)
        return QN_HOME_BATCH;
    switch_to(false);
    qn_batch_misses_left = UINT64_MAX;
    return home;
}

/* The counts begin anew. */
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
