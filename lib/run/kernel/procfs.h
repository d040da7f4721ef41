/* lib/run/kernel/procfs.h - see procfs.c, proc_calls.c. */
#ifndef QN_RUN_PROCFS_H
#define QN_RUN_PROCFS_H

#include "guest/elf.h"

enum qn_proc_entry { QN_PROC_OTHER, QN_PROC_EXE, QN_PROC_MAPS, QN_PROC_STATUS, QN_PROC_STAT, QN_PROC_CPUINFO, QN_PROC_RANGE /* of processors */ };

#define QN_PROC_PATH 512 /* bytes of a name, with its NUL */

struct qn_proc_file {
    char path[QN_PROC_PATH]; /* from the root */
    const char *exe;         /* the program of the process that the file describes */
};

/* The kind of file that the guest's string names, for this process or another one under quern. */
enum qn_proc_entry qn_proc_find(int dirfd, uint64_t path, struct qn_proc_file *f);
/* The program that another process runs under quern; NULL: it does not run under quern, or may not be read. */
const char *qn_proc_program(int32_t pid);
bool qn_proc_is_own(int32_t id);   /* this process, or a thread of it */
bool qn_proc_holds(long fd);       /* a file of /proc */
/* A descriptor, or -errno. */
long qn_proc_open_copy(enum qn_proc_entry entry, const char *path, long flags);
#define QN_PROC_LIST 65536u /* most bytes of a listing at a time */
/* Removes the engine's descriptors from the `bytes` bytes that getdents64 gave for a directory of /proc; returns the bytes that are left. */
long qn_proc_list(uint64_t buffer, long bytes);
/* Gives the kernel the guest's addresses.  Call it when the guest's stack is as at its first instruction. */
void qn_proc_publish(uint64_t sp, const struct qn_image *image);

/* The guest's system calls that take names, or list them. */
long qn_proc_call(long nr, const long *a);

#endif
