/* lib/run/procfs.h - see procfs.c. */
#ifndef QN_RUN_PROCFS_H
#define QN_RUN_PROCFS_H

#include "guest/elf.h"

enum qn_proc_entry { QN_PROC_OTHER, QN_PROC_EXE, QN_PROC_MAPS };

/* What of this process's own the guest's string names. */
enum qn_proc_entry qn_proc_entry(uint64_t path);
/* A descriptor, or -errno. */
long qn_proc_open_maps(const char *path, long flags);
/* getdents64 on fd gave so many bytes; what is left of them. */
long qn_proc_list(long fd, uint64_t buffer, long bytes);
/* The guest's stack is as it will be at its first instruction. */
void qn_proc_publish(uint64_t sp, const struct qn_image *image);

#endif
