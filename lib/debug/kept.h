/* lib/debug/kept.h - see kept_file.c. */
#ifndef QN_DEBUG_KEPT_H
#define QN_DEBUG_KEPT_H

#include <limits.h>
#include <sys/uio.h>

#include "debug/internal.h"

#define QN_KEPT_LINES ".lines"
#define QN_KEPT_DWARF ".dwarf"

/* The debug file that was read. */
struct qn_kept_origin {
    uint64_t size, seconds, nanoseconds; /* its time */
};

bool qn_kept_origin(struct qn_debug *d, struct qn_kept_origin *o); /* false: it is none on disk */
bool qn_kept_name(const struct qn_debug *d, const char *suffix, char path[PATH_MAX]); /* false: nothing is kept of it */
/* The file, mapped, of at least so many bytes; NULL: none that may be used. */
const void *qn_kept_map(const char *path, size_t least, size_t *bytes);
/* What cannot be written is not kept. */
void qn_kept_write(const char *path, const struct iovec *parts, int count);

static inline size_t qn_kept_padded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

#endif
