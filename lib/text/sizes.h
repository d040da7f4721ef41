/*
 * First sizes of buffers and tables.
 *
 * In:  -DQN_TINY, as the fuzzers and one test build have it
 * Out: sizes so small that buffers and tables grow all the time, which shows bugs there;
 *      otherwise sizes that suit the profile of a real program
 */
#ifndef QN_TEXT_SIZES_H
#define QN_TEXT_SIZES_H

#ifdef QN_TINY
#define QN_TEXT_LINES_BYTES ((size_t)64)      /* text read at once */
#define QN_TEXT_NAME_BYTES ((size_t)64)       /* a block of names */
#define QN_TEXT_SLOTS 4u                      /* of a hash index, a power of two */
#define QN_TEXT_ROOM 1u                       /* entries of a growing array */
#else
#define QN_TEXT_LINES_BYTES ((size_t)256 << 10)
#define QN_TEXT_NAME_BYTES ((size_t)256 << 10)
#define QN_TEXT_SLOTS 1024u
#define QN_TEXT_ROOM 256u
#endif

#endif
