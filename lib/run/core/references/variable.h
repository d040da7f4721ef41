/* lib/run/core/references/variable.h - instructions whose references are known only at run time: their counters and their references.
 *
 * Counters of such an instruction: a pair of misses per kind of reference, then extra Ir, iterations, extra Bc
 * (cost/arena.h).  Its helpers are called from translated code on the slow-call stack and keep all registers.
 */
#ifndef QN_RUN_VARIABLE_H
#define QN_RUN_VARIABLE_H

#include "block/block.h"

#define SLOW QN_NCSR

struct variable {
    uint64_t *pair; /* the first */
    uint64_t *extra_ir, *iterations, *extra_bc, *mispredicts;
};

const struct qn_insn *variable_insn(uint64_t pc); /* decoded; valid until the next call */
struct variable variable_counters(const struct qn_insn *in, uint64_t *first);
void variable_sum(const struct qn_insn *in, uint64_t iterations); /* --calls: so many more */

#endif
