/* lib/run/kernel/files.h - see files.c. */
#ifndef QN_RUN_FILES_H
#define QN_RUN_FILES_H

#include "run/run.h"

/* Between these two calls the soft limit is higher, so that the engine can open descriptors of its own. */
void qn_files_go_beyond(struct qn_limit *before);
void qn_files_go_back(const struct qn_limit *before);
int qn_files_move_up(int fd, const struct qn_limit *before); /* between these calls: moves a descriptor of the engine; returns the new one */

void qn_files_exec(bool before); /* before the exec of an untraced program; with false, undoes that if the exec failed */

bool qn_is_capable(unsigned bit); /* is CAP_... effective in the user namespace of the process? */

long qn_sys_limit(long nr, const long *a); /* getrlimit, setrlimit, prlimit64 */

#endif
