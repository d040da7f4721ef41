/* lib/run/core/references/references.h - references that helpers compute at run time, because emitted code cannot (strings, gathers, masks).
 *
 *   qn_run_reference(addr, size, pair, access)    one, through the hit filter
 *   qn_run_references(streams, n, times)          many: one of each stream in turn, `times` times
 *
 * Consecutive references mostly lie in one line.  If the first of them hits under the filter, all of them do, and only the time of the
 * last one stays in the stamp.  So one check handles all of them.
 */
#ifndef QN_RUN_REFERENCES_H
#define QN_RUN_REFERENCES_H

#include "base/context.h"
#include "decode/decode.h"
#include "sim/module.h"

struct qn_stream {
    uint64_t addr;   /* of the next reference; qn_run_references advances it */
    int64_t step;    /* bytes from one to the next, may be negative, not 0 */
    uint32_t size;   /* bytes */
    unsigned access; /* QN_ACC_* */
    uint64_t *pair;  /* counters: L1 misses, LL misses */
};

#define QN_STREAMS_MAX 2

/* QN_ACC_* as enum sim_kind. */
static inline enum sim_kind qn_run_kind(unsigned access)
{
    return access == QN_ACC_WRITE ? SIM_WRITE : access & QN_ACC_WRITE ? SIM_MODIFY : SIM_READ;
}

void qn_run_reference(uint64_t addr, uint32_t size, uint64_t *pair, unsigned access);
void qn_run_references(struct qn_stream *streams, unsigned n, uint64_t times);

/* ---- operands: the address of one in memory, computed from the registers in qn_ctx ---- */

/* m is an operand of the instruction at pc, which has not been executed.  For bt, without the offset from its register. */
uint64_t qn_operand_address(const struct qn_insn *in, const struct qn_mem *m, uint64_t pc);
/* The same for the instruction before `next`, with al added for xlat. */
uint64_t qn_operand_at(const struct qn_mem *m, uint64_t next, uint64_t al);
uint64_t qn_operand_segment(const struct qn_mem *m); /* base of its segment */

/* ---- batches in place of the filter ---- */

void qn_batch_init(void);             /* after the simulators are set up */
unsigned qn_batch_scope(unsigned scope); /* the scope to run instead of this one */
void qn_batch_forked(void);           /* in a new process */
void qn_batch_look(void);             /* measures the miss rate, and chooses the filter or batches */

extern uint64_t qn_batch_misses_left; /* until the next measurement */

#define QN_BATCH_STAY 1000u /* an execution of batch code counts as at least so many misses, so that batches also end without misses */

/* Translated code has returned, and n references have missed level 1 in it. */
static inline void qn_batch_missed(uint64_t n)
{
    if (QN_UNLIKELY(n >= qn_batch_misses_left))
        qn_batch_look();
    else
        qn_batch_misses_left -= n;
}

#endif
