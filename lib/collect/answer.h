/* lib/collect/answer.h - sending answers to the engine; shared by answer.c and fork.c. */
#ifndef QN_COLLECT_ANSWER_H
#define QN_COLLECT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>

struct qn_collect;

/* Our end and the engine's.  Ours learns the sender's pid from the kernel. */
bool qn_collect_make_pair(int pair[2]);

/* Sends a message of enum qn_message_kind, with up to two descriptors. */
void qn_collect_answer(struct qn_collect *r, uint32_t kind, int value, const int *fds, size_t count);

#endif
