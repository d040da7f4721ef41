/* lib/base/ready.h - memory that will soon be written all over: its pages are asked for many at a time.
 *
 *   static uint64_t ready;                     a table that is filled from its beginning on
 *   ...  qn_ready_until(&ready, &table[n + 1]);  before entry n is written
 *
 * A page that is touched for the first time costs a fault: a quarter of a microsecond, and under a hypervisor without help from the
 * processor twelve; one of sixteen that are asked for together costs one (doc/performance-history.md).  It is a wish: what the
 * kernel does not grant comes page by page, as always.
 */
#ifndef QN_READY_H
#define QN_READY_H

#include "base/base.h"
#include "base/syscall.h"

#define QN_READY_STEP (64u << 10) /* bytes */

enum qn_populate { QN_POPULATE_READ = 22, QN_POPULATE_WRITE = 23 }; /* MADV_POPULATE_*, Linux 5.14 */

static inline void qn_populate(const void *at, uint64_t bytes, enum qn_populate how)
{
    uint64_t start = (uint64_t)(uintptr_t)at, first = start & ~(QN_PAGE - 1);

    qn_sys3(__NR_madvise, (long)first, (long)(qn_round_up(start + bytes, QN_PAGE) - first), how);
}

/* The pages of these bytes, which lie in memory of one's own. */
static inline void qn_ready(const void *at, uint64_t bytes) { qn_populate(at, bytes, QN_POPULATE_WRITE); }

/* The same for pages of a file that will be read all over. */
static inline void qn_ready_to_read(const void *at, uint64_t bytes) { qn_populate(at, bytes, QN_POPULATE_READ); }

/* *ready: so far the pages are there; 0: nothing has been written yet. */
static inline void qn_ready_until(uint64_t *ready, const void *end)
{
    uint64_t last = (uint64_t)(uintptr_t)end - 1;

    if (QN_LIKELY(last < *ready))
        return;
    if (last - *ready >= QN_READY_STEP)
        *ready = last & ~(QN_PAGE - 1);
    qn_ready((const void *)(uintptr_t)*ready, QN_READY_STEP);
    *ready += QN_READY_STEP;
}

#endif
