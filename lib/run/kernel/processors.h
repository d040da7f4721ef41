/* lib/run/kernel/processors.h - see processors.c. */
#ifndef QN_RUN_PROCESSORS_H
#define QN_RUN_PROCESSORS_H

#include "run/run.h"

uint64_t qn_processors_all(void); /* a bit for each; 0: the program sees the machine's */
uint64_t qn_processors_of(int32_t tid); /* on which the thread may run; tid 0: this one */
#define QN_PROCESSORS_TEXT 256
void qn_processors_mask(char text[QN_PROCESSORS_TEXT], uint64_t mask);
void qn_processors_list(char text[QN_PROCESSORS_TEXT], uint64_t mask);
/* sched_getaffinity, sched_setaffinity, getcpu */
long qn_sys_processors(long nr, const long *a);

#endif
