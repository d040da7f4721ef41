/* lib/run/core/repetition.h - how far a repeated string instruction has come, by rcx, rsi and rdi before and after it.
 *
 *   rep movsd, {8, 1000, 2000} -> {5, 1012, 2012}      3 steps of 4 bytes
 *   rep movsd, {8, 1000, 2000} -> {9, 1000, 2000}      0 steps: a count does not grow
 *
 * No processor, kernel or debugger is trusted: where the registers do not fit together (the count grew, or an address is not as many
 * elements away as the count says) nothing is known of what happened, and there were no steps.  So there are never more
 * of them than the count was before.
 */
#ifndef QN_RUN_REPETITION_H
#define QN_RUN_REPETITION_H

#include "decode/decode.h"

enum { QN_REP_COUNT, QN_REP_SOURCE, QN_REP_TARGET, QN_REP_REGISTERS };

struct qn_repetition {
    uint64_t steps;
    int64_t step; /* bytes from one element to the next; not 0 */
};

static inline uint64_t qn_repetition_mask(const struct qn_insn *in) { return in->mem[0].addr32 ? 0xffffffffu : ~0ull; }

/* Has each address of the instruction moved by so much? */
static inline bool qn_repetition_moved(const struct qn_insn *in, const uint64_t *before, const uint64_t *after, uint64_t bytes)
{
    for (unsigned k = 0; k < in->n_mem; k++) {
        unsigned r = in->mem[k].base == QN_RSI ? QN_REP_SOURCE : QN_REP_TARGET;

        if ((after[r] - before[r] - bytes) & qn_repetition_mask(in))
            return false;
    }
    return true;
}

static inline struct qn_repetition qn_repetition(const struct qn_insn *in, const uint64_t before[QN_REP_REGISTERS],
                                                 const uint64_t after[QN_REP_REGISTERS])
{
    uint64_t mask = qn_repetition_mask(in), from = before[QN_REP_COUNT] & mask, to = after[QN_REP_COUNT] & mask;
    uint64_t bytes = (from - to) * in->mem[0].size;
    int64_t step = in->mem[0].size;

    if (to < from && qn_repetition_moved(in, before, after, bytes))
        return (struct qn_repetition){from - to, step};
    if (to < from && qn_repetition_moved(in, before, after, -bytes))
        return (struct qn_repetition){from - to, -step};
    return (struct qn_repetition){0, step};
}

#endif
