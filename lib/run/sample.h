/* lib/run/sample.h - see sample.c. */
#ifndef QN_RUN_SAMPLE_H
#define QN_RUN_SAMPLE_H

#include "base/base.h"

extern bool qn_sample_steps; /* the next block is run instruction by instruction */

void qn_sample_init(void);
bool qn_sample_has_anchors(void);

/* The home that code is taken from where `home` is the one that counts. */
unsigned qn_sample_home(unsigned home);

/* Before each block while qn_sample_steps.  true: the variant QN_VARIANT_STEPS of it is to be run, and qn_sample_after follows,
 * which is told its index; false: it runs as any other. */
bool qn_sample_before(void);
void qn_sample_after(uint32_t block);

/* Translated code came back because a countdown has come to its end. */
void qn_sample_begin(void);

/* For the emitter: address of the countdown of the block, an anchor, that is being translated. */
uint64_t qn_sample_countdown(uint32_t index);

#endif
