/* lib/lab/reap.h - the end of a program and of all that came from it.
 *
 * Whoever of its descendants lives becomes our child when its parent dies, at the latest, since we adopt orphans.  So
 * killing our children until there are none leaves nothing behind, whatever they did about sessions and groups.  The
 * caller has no other children.
 */
#ifndef QN_LAB_REAP_H
#define QN_LAB_REAP_H

#include <sys/types.h>

#include "base/base.h"

/* Once, before the program is started. */
void qn_lab_adopt_orphans(void);

/* Waits for the end of the program, a leader of its own group, or brings it about (given_up); then kills all others.
 * Its status as of waitpid. */
void qn_lab_reap(pid_t child, int *status, bool given_up);

#endif
