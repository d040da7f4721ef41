/* lib/debug/kept.h - see kept_file.c. */
#ifndef QN_DEBUG_KEPT_H
#define QN_DEBUG_KEPT_H

#include <limits.h>
#include <sys/uio.h>

#include "debug/internal.h"

#define QN_KEPT_LINES ".lines"
#define QN_KEPT_DWARF ".dwarf"
#define QN_KEPT_MARK "quern " /* each file begins so */

/* Tells the version of the debug file that an entry was made from. */
struct qn_kept_origin {
    uint64_t size, seconds, nanoseconds; /* bytes; time of modification */
};

bool qn_kept_origin(struct qn_debug *d, struct qn_kept_origin *o); /* false: it is no file on disk */
bool qn_kept_name(const struct qn_debug *d, const char *suffix, char path[PATH_MAX]); /* false: no cache, or no build-id */
/* Maps a file of the cache; NULL: there is none of at least `least` bytes that may be used. */
const void *qn_kept_map(const char *path, size_t least, size_t *bytes);
/* Writes a file of the cache.  If that fails, there is none. */
void qn_kept_write(const char *path, const struct iovec *parts, int count);

static inline size_t qn_kept_padded(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

#endif
