/* lib/run/kernel/messages.h - see messages.c; functions for single messages are declared in run/run.h. */
#ifndef QN_RUN_MESSAGES_H
#define QN_RUN_MESSAGES_H

#include "run/run.h"

void qn_message_send(int fd, uint32_t kind, int value);
/* One answer and up to two descriptors, -1 where absent.  false: the collector is gone. */
bool qn_message_receive(int fd, struct qn_message *msg, int fds[2]);

#endif
