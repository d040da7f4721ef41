/* lib/run/kernel/files.h - see files.c. */
#ifndef QN_RUN_FILES_H
#define QN_RUN_FILES_H

#include "run/run.h"

struct qn_limit { /* struct rlimit64 */
    uint64_t soft, hard;
};

/* Between these two calls the soft limit is higher, so that the engine can open descriptors of its own. */
void qn_files_go_beyond(struct qn_limit *before);
void qn_files_go_back(const struct qn_limit *before);
int qn_files_move_up(int fd, const struct qn_limit *before); /* one of the engine's, gone beyond; returns what it is now */

void qn_files_exec(bool before); /* of a program that is not followed; undone if it failed */

bool qn_is_capable(unsigned bit); /* CAP_...: effective in the name space of users that the process is in */

long qn_sys_limit(long nr, const long *a); /* getrlimit, setrlimit, prlimit64 */

#endif
