/* tools/run_wire.h - sending answers to the engine; shared by run_wire.c and run_fork.c. */
#ifndef QN_RUN_WIRE_H
#define QN_RUN_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

struct qn_run;

/* Our end and the engine's.  Ours learns the sender's pid from the kernel. */
bool qn_run_make_pair(int pair[2]);

/* Sends a message of enum qn_wire_kind, with up to two descriptors. */
void qn_run_answer(struct qn_run *r, uint32_t kind, int value, const int *fds, size_t count);

#endif
