/* lib/run/core/references/reference.h - references that helpers compute at run time, because emitted code cannot (strings, gathers, masks).
 *
 *   qn_run_reference(addr, size, pair, access)    one, through the hit filter
 *   qn_run_references(streams, n, times)          many: one of each stream in turn, `times` times
 *
 * Consecutive references mostly lie in one line.  If the first of them hits under the filter, all of them do, and only the time of the
 * last one stays in the stamp.  So one check handles all of them.
 */
#ifndef QN_RUN_REFERENCE_H
#define QN_RUN_REFERENCE_H

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

bool qn_run_caches_on(void);
void qn_run_reference(uint64_t addr, uint32_t size, uint64_t *pair, unsigned access);
void qn_run_references(struct qn_stream *streams, unsigned n, uint64_t times);

/* Called before a helper returns to translated code, which uses ctx.now as a time that no stamp has yet. */
static inline void qn_run_clock_on(void) { qn_ctx.now++; }

#endif
