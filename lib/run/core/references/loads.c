/* lib/run/core/references/loads.c - sim_lines_touched of module.h: the number of data references, computed from the counters at the end.
 *
 *   block executed n times, instruction with two reads          2 n references
 *   block left m times before the instruction (--toggle)       -2 m references
 */
#include "cost/count.h"
#include "run/run.h"
#include "sim/readers.h"

#define INSN_COUNTERS_MAX 32

typedef void for_insns(uint64_t pc, const int64_t sum[QN_COST_EVENTS], int64_t sign);

static void of_block(const struct qn_block_rec *b, for_insns *each)
{
    const uint64_t *counters = qn_arena_counters() + b->misses;
    uint64_t executions = qn_arena_counters()[b->counter], pc = b->pc;

    if (!executions)
        return;
    for (unsigned k = 0; k < b->ninsns; k++) {
        int64_t sum[QN_COST_EVENTS] = {0};
        uint32_t d = qn_arena_desc(b, k);

        qn_cost_count(d, executions, counters, sum);
        each(pc, sum, 1);
        counters += qn_insn_counters(d);
        pc += QN_INSN_LEN(d);
    }
}

/* Subtracts the instructions of an executed block that were not executed. */
static void of_leave(const struct qn_leave_rec *l, for_insns *each)
{
    static const uint64_t none[INSN_COUNTERS_MAX];
    const struct qn_block_rec *b = qn_arena_block(l->block);
    uint64_t pc = b->pc;

    for (unsigned k = 0; k < b->ninsns; k++) {
        int64_t sum[QN_COST_EVENTS] = {0};
        uint32_t d = qn_arena_desc(b, k);

        qn_cost_count(d, l->count, none, sum);
        if (k >= l->insn)
            each(pc, sum, -1);
        pc += QN_INSN_LEN(d);
    }
}

static void of_all(for_insns *each)
{
    for (uint64_t i = 0; i < qn_arena->n_blocks; i++)
        of_block(qn_arena_block((uint32_t)i), each);
    for (uint64_t i = 0; i < qn_arena->n_leaves; i++)
        of_leave(qn_arena_leave_rec(i), each);
}

static uint64_t references;

static void add_references(uint64_t pc, const int64_t sum[QN_COST_EVENTS], int64_t sign)
{
    (void)pc;
    references += (uint64_t)(sign * (sum[QN_COST_DR] + sum[QN_COST_DW]));
}

uint64_t qn_engine_references(void)
{
    references = 0;
    of_all(add_references);
    return references;
}
