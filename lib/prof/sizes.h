/*
 * First sizes of buffers and tables, in one place.
 *
 * In:  -DQN_TINY, as the fuzzers and one test build have it
 * Out: sizes so small that everything grows, wraps and splits all the time, to give bugs a chance;
 *      otherwise sizes that suit a profile of a real program
 *
 * Invariants: powers of two where the name says so; a piece of the log holds at least one record of
 * QN_PROF_EVENTS_MAX counts (10 bytes each, and their masks).
 */
#ifndef QN_PROF_SIZES_H
#define QN_PROF_SIZES_H

#ifdef QN_TINY
#define QN_PROF_LINES_BYTES ((size_t)64)      /* text read at once */
#define QN_PROF_WRITE_BYTES ((size_t)64)      /* text written at once */
#define QN_PROF_LOG_BYTES ((size_t)12 << 10)  /* a piece of the line log */
#define QN_PROF_NAME_BYTES ((size_t)64)       /* a block of names */
#define QN_PROF_SLOTS 4u                      /* of a hash index, a power of two */
#define QN_PROF_ROOM 1u                       /* entries of a growing array */
#define QN_PROF_ROWS_LOG2 1                   /* rows in a piece */
#else
#define QN_PROF_LINES_BYTES ((size_t)256 << 10)
#define QN_PROF_WRITE_BYTES ((size_t)64 << 10)
#define QN_PROF_LOG_BYTES ((size_t)1 << 20)
#define QN_PROF_NAME_BYTES ((size_t)256 << 10)
#define QN_PROF_SLOTS 1024u
#define QN_PROF_ROOM 256u
#define QN_PROF_ROWS_LOG2 10
#endif

#endif
