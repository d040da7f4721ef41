/* lib/run/kernel/wire.h - see wire.c; functions for single messages are declared in run/run.h. */
#ifndef QN_RUN_WIRE_H
#define QN_RUN_WIRE_H

#include "run/run.h"

void qn_wire_send(int fd, uint32_t kind, int value);
/* One answer and up to two descriptors, -1 where absent.  false: the collector is gone. */
bool qn_wire_receive(int fd, struct qn_wire_msg *msg, int fds[2]);

#endif
