/*
 * Counts of one cost centre: a row of 64-bit sums, one per event.
 *
 * In:  a row of sums, a row to add
 * Out: the sums; QN_PROF_NONE ("no count was given") adds nothing, and is replaced by any count
 *
 * Invariant: a sum that leaves 64 bits is reported, never stored.
 */
#ifndef QN_PROF_COUNTS_H
#define QN_PROF_COUNTS_H

#include <stdint.h>

#include "prof/write.h"
#include "text/names.h"

/* to += from. 0, or -1 on overflow. */
static inline int qn_prof_add_counts(int64_t *to, const int64_t *from, int events)
{
    for (int i = 0; i < events; i++) {
        int64_t sum;
        if (from[i] == QN_PROF_NONE)
            continue;
        if (__builtin_add_overflow(to[i] == QN_PROF_NONE ? 0 : to[i], from[i], &sum) ||
            sum == QN_PROF_NONE)
            return -1;
        to[i] = sum;
    }
    return 0;
}

static inline void qn_prof_clear_counts(int64_t *counts, int events)
{
    for (int i = 0; i < events; i++)
        counts[i] = QN_PROF_NONE;
}

/* A count as a number; QN_PROF_NONE is 0. */
static inline int64_t qn_prof_count(int64_t count)
{
    return count == QN_PROF_NONE ? 0 : count;
}

/* |count|; no count is as low as -2^63. */
static inline int64_t qn_prof_magnitude(int64_t count)
{
    return count < 0 ? -count : count;
}

/* ---- first sizes of buffers; with -DQN_TINY so small that buffers and tables split all the time, as in text/names.h ----
 */

#ifdef QN_TINY
#define QN_PROF_WRITE_BYTES ((size_t)64)      /* text written at once */
#define QN_PROF_ROWS_LOG2 1                   /* rows in a piece */
#else
#define QN_PROF_WRITE_BYTES ((size_t)64 << 10)
#define QN_PROF_ROWS_LOG2 10
#endif

#endif
