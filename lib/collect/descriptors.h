/* lib/collect/descriptors.h - messages with descriptors between processes of quern.  See descriptors.c. */
#ifndef QN_COLLECT_DESCRIPTORS_H
#define QN_COLLECT_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

#define QN_COLLECT_FDS_MAX 4

/* Sends one message with `count` descriptors (possibly none).  flags: of sendmsg.  false: nobody receives it, or not now. */
bool qn_collect_send(int socket, const void *message, size_t size, const int *fds, size_t count, int flags);
/* Receives one message of this size; the descriptors that came with it, -1 behind them.  false: there can be none any more. */
bool qn_collect_receive(int socket, void *message, size_t size, int fds[QN_COLLECT_FDS_MAX]);
/* Raises the soft limit of descriptors to the hard limit. */
void qn_collect_allow_descriptors(void);

#endif
