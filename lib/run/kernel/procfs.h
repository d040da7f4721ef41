/* lib/run/kernel/procfs.h - see procfs.c, proc_calls.c. */
#ifndef QN_RUN_PROCFS_H
#define QN_RUN_PROCFS_H

#include "guest/elf.h"

enum qn_proc_entry { QN_PROC_OTHER, QN_PROC_EXE, QN_PROC_MAPS };

#define QN_PROC_PATH 512 /* bytes of a name, with its NUL */

struct qn_proc_file {
    char path[QN_PROC_PATH]; /* from the root */
    const char *exe;         /* the program of the process that it is about */
};

/* What the guest's string names, if it is of this process or another under quern. */
enum qn_proc_entry qn_proc_find(int dirfd, uint64_t path, struct qn_proc_file *f);
/* The program that another process runs under quern; NULL: it does not, or will not be looked at. */
const char *qn_proc_program(int32_t pid);
bool qn_proc_is_own(int32_t id);   /* this process, or a thread of it */
bool qn_proc_holds(long fd);       /* a file of /proc */
/* A descriptor, or -errno. */
long qn_proc_open_maps(const char *path, long flags);
#define QN_PROC_LIST 65536u /* bytes of a listing that are looked at, at a time */
/* getdents64 in a directory of /proc gave so many bytes, at most QN_PROC_LIST; what is left of them. */
long qn_proc_list(uint64_t buffer, long bytes);
/* The guest's stack is as it will be at its first instruction. */
void qn_proc_publish(uint64_t sp, const struct qn_image *image);

/* The guest's system calls that take names, or list them. */
long qn_proc_call(long nr, const long *a);

#endif
