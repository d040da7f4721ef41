/* lib/run/core/references/repetition.h - the number of repetitions that a string instruction has executed, from rcx, rsi and rdi before and after.
 *
 *   rep movsd, {8, 1000, 2000} -> {5, 1012, 2012}      3 steps of 4 bytes
 *   rep movsd, {8, 1000, 2000} -> {9, 1000, 2000}      0 steps: a count does not grow
 *
 * If the registers are inconsistent (the count has grown, or an address has not moved by as many elements as the count), the result is
 * 0 steps, because processors, kernels and debuggers are not trusted.  So the result is never larger than the count before.
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
