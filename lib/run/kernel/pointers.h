/* lib/run/kernel/pointers.h - pointers of the program into the engine. */
#ifndef QN_RUN_POINTERS_H
#define QN_RUN_POINTERS_H

/* Replaces arguments of system call nr that point into the engine by pointers to nothing. */
void qn_pointers_hide(long nr, long *a);

#endif
