/* lib/run/observe/sample.h - see sample.c. */
#ifndef QN_RUN_SAMPLE_H
#define QN_RUN_SAMPLE_H

#include "base/base.h"
#include "block/block.h"

extern bool qn_sample_steps; /* the next block is run instruction by instruction */
extern bool qn_sample_links; /* all is observed, and blocks lead from one to the next: qn_sample_enters stands between them */
extern bool qn_sample_between; /* a signal has stopped the program between two blocks; only if qn_sample_links */

void qn_sample_init(void);

/* Where may a sample begin in the block, which is to be translated? */
enum qn_anchor qn_sample_anchor(const struct qn_block *b);
bool qn_sample_has_anchors(void);

/* The scope that code is taken from where `scope` is the one that counts. */
unsigned qn_sample_scope(unsigned scope);

/* Before and after a block of the variant QN_VARIANT_STEPS is run, which is told by its index; it is run to its end. */
void qn_sample_before(uint32_t block);
void qn_sample_after(uint32_t block);

/* A block that writes down what it does begins: the one before has come to its end.  And translated code has come back. */
qn_slow_call qn_sample_enters;
void qn_sample_left(void);

/* Translated code came back because a countdown has come to its end. */
void qn_sample_begin(void);

/* For the emitter: address of the countdown of the block, an anchor, that is being translated. */
uint64_t qn_sample_countdown(uint32_t index);

#endif
