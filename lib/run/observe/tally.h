/* lib/run/observe/tally.h - see tally.c. */
#ifndef QN_RUN_TALLY_H
#define QN_RUN_TALLY_H

#include "base/base.h"

/* The instruction at pc has been executed, and was observed. */
void qn_tally_insn(uint64_t pc);
/* The n instructions from there on, that are the first of their block. */
void qn_tally_block(uint64_t pc, unsigned n);
/* A repeated string instruction; rcx, rsi and rdi before, those after are in qn_ctx. */
void qn_tally_string(uint64_t pc, const uint64_t before[3]);
/* What comes next does not follow what was counted so far, in this block of the code cache. */
void qn_tally_end(uint32_t block);

#endif
