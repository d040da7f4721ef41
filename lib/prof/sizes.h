/*
 * First sizes of the buffers of a profile; with -DQN_TINY so small that buffers and tables split all the time, as in text/names.h.
 *
 * Invariant: a piece of the log holds at least one record of QN_PROF_EVENTS_MAX counts (10 bytes each, and their masks).
 */
#ifndef QN_PROF_SIZES_H
#define QN_PROF_SIZES_H

#include "text/names.h"

#ifdef QN_TINY
#define QN_PROF_WRITE_BYTES ((size_t)64)      /* text written at once */
#define QN_PROF_LOG_BYTES ((size_t)12 << 10)  /* a piece of the line log */
#define QN_PROF_ROWS_LOG2 1                   /* rows in a piece */
#else
#define QN_PROF_WRITE_BYTES ((size_t)64 << 10)
#define QN_PROF_LOG_BYTES ((size_t)1 << 20)
#define QN_PROF_ROWS_LOG2 10
#endif

#endif
