/* lib/run/observe/watch.h - see watch.c. */
#ifndef QN_RUN_WATCH_H
#define QN_RUN_WATCH_H

#include "run/observe/step.h"

/* The instruction at rip will be executed, and no other one.  first: of a window. */
void qn_watch_before(struct qn_step *s, bool first);
/* It has been, if it was; counts it and tells the analysis module.  false: something came between. */
bool qn_watch_after(void);

/* So many of the block's first instructions have been completed; each is told as above.  It wrote down what they did.  next: where it has gone on
 * to; 0: it has come back, and its exit tells. */
void qn_watch_block(const struct qn_steps *steps, unsigned done, uint64_t next, bool first);

/* Where control went from the instruction at pc, of so many bytes, that was run last; 0: it has not been completed. */
uint64_t qn_watch_went_to(uint64_t pc, unsigned len);

#endif
