/* lib/run/sample.h - see sample.c. */
#ifndef QN_RUN_SAMPLE_H
#define QN_RUN_SAMPLE_H

#include "base/base.h"

extern bool qn_sample_steps;   /* the next block is run instruction by instruction */
extern int64_t qn_sample_skip; /* instructions to the next window; code on the way there counts them down */

void qn_sample_init(void);
bool qn_sample_has_anchors(void);

/* The home that code is taken from where `home` is the one that counts. */
unsigned qn_sample_home(unsigned home);

/* Before each block while qn_sample_steps.  true: the variant QN_VARIANT_STEPS of it is to be run, and qn_sample_after follows;
 * false: it runs as any other. */
bool qn_sample_before(void);
void qn_sample_after(void);

/* Returns of translated code; the first two give the variant that is to be run next, 0 = none. */
unsigned qn_sample_begin(void);  /* a countdown has come to its end */
unsigned qn_sample_arrive(void); /* the window begins within the block at rip */
void qn_sample_met_anchor(void); /* before it could begin */

/* For the emitter: address of the countdown of the block, an anchor, that is being translated. */
uint64_t qn_sample_countdown(uint32_t index);

#endif
