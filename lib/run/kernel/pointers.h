/* lib/run/kernel/pointers.h - see pointers.c; vectors.c for pointers in structures. */
#ifndef QN_RUN_POINTERS_H
#define QN_RUN_POINTERS_H

#include "base/base.h"

/* Replaces arguments of system call nr that point into the engine by pointers to a page without access. */
void qn_pointers_hide(long nr, long *a);
bool qn_pointer_is_inside(uint64_t at);
uint64_t qn_pointer_hidden(uint64_t at); /* `at`, or a pointer to a page without access if it is inside */

/* The same for struct iovec and struct msghdr. */
void qn_vectors_hide(long nr, long *a);
/* After the call, whose result is r: copies results to the program's structure, which is at `at`; a[]: the arguments that the kernel got. */
void qn_vectors_tell(long nr, uint64_t at, const long *a, long r);

#endif
