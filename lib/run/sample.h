/* lib/run/sample.h - see sample.c. */
#ifndef QN_RUN_SAMPLE_H
#define QN_RUN_SAMPLE_H

#include "base/base.h"

extern bool qn_sample_steps; /* the next block is run for itself: skipped to the next window, or observed */

void qn_sample_init(void);

/* The home that code is taken from where `home` is the one that counts. */
unsigned qn_sample_home(unsigned home);

/* Before each block while qn_sample_steps.  true: it is run for itself, so many instructions of it (0 = all), and qn_sample_after
 * follows; false: it runs as any other. */
bool qn_sample_before(unsigned *at_most);
void qn_sample_after(void);

/* The countdown of the block at rip has come to its end. */
void qn_sample_begin(void);

/* For the emitter: address of the countdown of the block, an anchor, that is being translated. */
uint64_t qn_sample_countdown(uint32_t index);

#endif
