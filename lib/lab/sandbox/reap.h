/* lib/lab/sandbox/reap.h - ends a program and all its descendants.
 *
 * The caller is a subreaper: a descendant whose parent dies becomes the caller's child.  So killing children until there
 * are none ends all descendants, whatever sessions and process groups they made.  The caller has no other children.
 */
#ifndef QN_LAB_REAP_H
#define QN_LAB_REAP_H

#include <sys/types.h>

#include "base/base.h"

/* Once, before the program is started. */
void qn_lab_adopt_orphans(void);

/* Waits for the end of the program, which leads a group of its own, or kills it (given_up); then kills all other children.
 * *status: the program's, as from waitpid. */
void qn_lab_reap(pid_t child, int *status, bool given_up);

#endif
