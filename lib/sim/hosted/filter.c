/* sim/hosted/filter.c - the hit filter in C, the same as in emitted code.  Hits under the filter must change nothing: `quern replay
 * --check` verifies that on a trace, without the engine. */
#include "base/context.h"
#include "sim/hosted/hosted.h"

static uint64_t touched = ~0ull; /* code line fetched last */

static bool passes(uint64_t addr, uint32_t size, unsigned kind)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    return !(f->writes_call && sim_writes(kind)) && qn_filter_passes(f, addr, size, &qn_ctx.now);
}

unsigned hosted_data(uint64_t addr, uint32_t size, unsigned kind, bool filter, uint64_t *misses)
{
    if (filter && passes(addr, size, kind))
        return 0;
    return qn_sim_data_kind(addr, size, kind, misses);
}

/* Every line of the range present and settled: stamps are written, in order. */
unsigned hosted_fetch(uint64_t addr, uint32_t size, bool filter, uint64_t *misses)
{
    uint64_t mask = ~(uint64_t)(qn_sim_i1_line - 1), first = addr & mask, last = (addr + size - 1) & mask;
    bool pass = filter && qn_sim_i1_hit != QN_HIT_CALL;

    if (filter && qn_sim_i1_repeat_is_noop && first == last && first == touched)
        return 0;
    touched = last;
    for (uint64_t line = first; pass; line += qn_sim_i1_line) {
        pass = qn_sim_code_line(line)->stamp != 0;
        if (line == last)
            break;
    }
    if (!pass)
        return qn_sim_fetch(addr, size, misses);
    for (uint64_t line = first; qn_sim_i1_hit == QN_HIT_STAMP; line += qn_sim_i1_line) {
        qn_sim_code_line(line)->stamp = ++qn_ctx.now;
        if (line == last)
            break;
    }
    return 0;
}

bool hosted_cond(uint64_t pc, bool taken, bool backward)
{
    return qn_sim_predict_cond_to(pc, taken, backward);
}
