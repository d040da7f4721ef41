/* lib/run/core/references/operand.h - the address of a memory operand, computed from the registers in qn_ctx. */
#ifndef QN_RUN_OPERAND_H
#define QN_RUN_OPERAND_H

#include "decode/decode.h"

/* m is an operand of the instruction at pc, which has not been executed.  For bt, without the offset from its register. */
uint64_t qn_operand_address(const struct qn_insn *in, const struct qn_mem *m, uint64_t pc);
/* The same for the instruction before `next`, with al added for xlat. */
uint64_t qn_operand_at(const struct qn_mem *m, uint64_t next, uint64_t al);
uint64_t qn_operand_segment(const struct qn_mem *m); /* base of its segment */

#endif
