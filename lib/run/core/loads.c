/* lib/run/core/loads.c - sim_loads of module.h: of each instruction how often it read memory, and what its reads missed.  All of it is in the
 * counters; nobody was told while the program ran.
 *
 *   block executed n times, instruction with two reads          2 n loads, the misses of both sites
 *   block left m times before the instruction (--toggle)       -2 m loads
 */
#include "cost/count.h"
#include "run/run.h"
#include "sim/readers.h"

#define INSN_COUNTERS_MAX 32

typedef void for_loads(const struct sim_loads *loads);

static void tell(uint64_t pc, const int64_t sum[QN_COST_EVENTS], int64_t sign, for_loads *each)
{
    struct sim_loads l = {pc, sign * sum[QN_COST_DR], sign * sum[QN_COST_D1MR], sign * sum[QN_COST_DLMR]};

    if (l.loads || l.L1_misses)
        each(&l);
}

static void of_block(const struct qn_block_rec *b, for_loads *each)
{
    const uint64_t *counters = qn_arena_counters() + b->misses;
    uint64_t executions = qn_arena_counters()[b->counter], pc = b->pc;

    if (!executions)
        return;
    for (unsigned k = 0; k < b->ninsns; k++) {
        int64_t sum[QN_COST_EVENTS] = {0};
        uint32_t d = qn_arena_desc(b, k);

        qn_cost_count(d, executions, counters, sum);
        tell(pc, sum, 1, each);
        counters += qn_insn_counters(d);
        pc += QN_INSN_LEN(d);
    }
}

/* Instructions of an executed block that were not. */
static void of_leave(const struct qn_leave_rec *l, for_loads *each)
{
    static const uint64_t none[INSN_COUNTERS_MAX];
    const struct qn_block_rec *b = qn_arena_block(l->block);
    uint64_t pc = b->pc;

    for (unsigned k = 0; k < b->ninsns; k++) {
        int64_t sum[QN_COST_EVENTS] = {0};
        uint32_t d = qn_arena_desc(b, k);

        qn_cost_count(d, l->count, none, sum);
        if (k >= l->insn)
            tell(pc, sum, -1, each);
        pc += QN_INSN_LEN(d);
    }
}

void qn_engine_loads(for_loads *each)
{
    for (uint64_t i = 0; i < qn_arena->n_blocks; i++)
        of_block(qn_arena_block((uint32_t)i), each);
    for (uint64_t i = 0; i < qn_arena->n_leaves; i++)
        of_leave(qn_arena_leave_rec(i), each);
}
