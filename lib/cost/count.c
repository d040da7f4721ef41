/* lib/cost/count.c - computes event counts from the instruction's descriptor and its counters.  See count.h.
 *
 * Invariants: reads exactly qn_insn_counters(d) counters, each once, in the order of arena.h.
 */
#include "cost/count.h"

struct reader {
    const uint64_t *next;
    bool sound;
};

static int64_t take(struct reader *r)
{
    uint64_t value = *(const volatile uint64_t *)r->next++;

    if (value <= QN_COST_COUNTER_MAX)
        return (int64_t)value;
    r->sound = false;
    return 0;
}

static void take_misses(struct reader *r, unsigned references, int64_t sum[], int first)
{
    while (references--) {
        sum[first] += take(r);
        sum[first + 1] += take(r);
    }
}

bool qn_cost_count(uint32_t d, uint64_t x, const uint64_t *counters, int64_t sum[QN_COST_EVENTS])
{
    struct reader r = { counters, true };
    int64_t times = (int64_t)x, reads = times, writes = times, extra_bc = 0;

    sum[QN_COST_IR] += times;
    if (d & QN_INSN_IMISS)
        take_misses(&r, 1, sum, QN_COST_I1MR);
    take_misses(&r, QN_INSN_NREAD(d), sum, QN_COST_D1MR);
    take_misses(&r, QN_INSN_NWRITE(d), sum, QN_COST_D1MW);
    if (d & QN_INSN_VARIABLE) {
        sum[QN_COST_IR] += take(&r);
        writes = take(&r);
        reads = d & QN_INSN_READS_ONCE ? times : writes;
        extra_bc = take(&r);
    }
    sum[QN_COST_DR] += QN_INSN_NREAD(d) * reads;
    sum[QN_COST_DW] += QN_INSN_NWRITE(d) * writes;
    if (d & QN_INSN_BC) {
        sum[QN_COST_BC] += times;
        sum[QN_COST_BCM] += take(&r);
    }
    sum[QN_COST_BC] += extra_bc;
    if (d & QN_INSN_BI) {
        sum[QN_COST_BI] += times;
        sum[QN_COST_BIM] += take(&r);
    }
    return r.sound;
}
