/* lib/run/kernel/pointers.h - see pointers.c; vectors.c for what stands in structures. */
#ifndef QN_RUN_POINTERS_H
#define QN_RUN_POINTERS_H

#include "base/base.h"

/* Replaces arguments of system call nr that point into the engine by pointers to nothing. */
void qn_pointers_hide(long nr, long *a);
bool qn_pointer_is_inside(uint64_t at);
uint64_t qn_pointer_hidden(uint64_t at); /* the same, or a pointer to nothing */

/* The same for struct iovec and struct msghdr. */
void qn_vectors_hide(long nr, long *a);
/* After the call: its result is r, the program's structure lies at an address, and a[] is what the kernel was told. */
void qn_vectors_tell(long nr, uint64_t at, const long *a, long r);

#endif
