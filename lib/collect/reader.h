/* lib/collect/reader.h - the parts of folding that reader.c and finish.c share. */
#ifndef QN_COLLECT_READER_H
#define QN_COLLECT_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "cost/places/modules.h"

struct qn_collect;

struct qn_collect_guard {
    struct qn_cost_guard modules;
    const char *avoided; /* why nothing at all is read; else NULL */
};

/* Folds r->store, writes the profile, prints the report, in this process.  guard may be NULL. */
bool qn_collect_fold(struct qn_collect *r, struct qn_collect_guard *guard, struct qn_cost_library *library);

/* Limits this process's memory, and its time from now on; SIGTERM ends it. */
void qn_collect_limit_reading(void);

/* Forks a process with these limits, which shall read debug information.  *end becomes readable when it ends. */
pid_t qn_collect_fork_limited(int *end);

/* Waits for its end, or ends it when a signal asks us to end; end may be -1.  The exit status; -1: it died. */
int qn_collect_wait_limited(struct qn_collect *r, pid_t pid, int end);

/* Closes every descriptor but these (and the standard ones, which are /dev/null). */
void qn_collect_keep_only(const int *fds, int count);

/* Starts the reader; without it everything works, only slower. */
void qn_collect_start_reader(struct qn_collect *r);

/* Sends the reader a file whose code a guest has mapped; the caller keeps the descriptor.  Never waits. */
void qn_collect_give_reader(const struct qn_collect *r, int file);

/* The main collector's guest has become another program: sends its arena, which the reader needs if all collectors are killed. */
void qn_collect_show_image(const struct qn_collect *r);

/* Asks the reader to fold.  0: profile written; 1: not written, and a message said why; -1: no answer. */
int qn_collect_ask_reader(struct qn_collect *r);

/* Lets the reader end; waits for it if no other collector can ask it. */
void qn_collect_end_reader(struct qn_collect *r);

#endif
