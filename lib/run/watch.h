/* lib/run/watch.h - see watch.c. */
#ifndef QN_RUN_WATCH_H
#define QN_RUN_WATCH_H

#include "base/base.h"

/* The instruction at rip will be executed alone.  first: of a window. */
void qn_watch_before(bool first);
/* It has been, if it was; tells the analysis module.  false: something came between. */
bool qn_watch_after(void);

#endif
