/*
 * Lines of a text file, one at a time, of any length, in bounded memory.
 *
 * In:  "a\r\nbb\nccc"
 * Out: "a", "bb", "ccc" (number 1, 2, 3), then the end
 *
 * Invariants: a line is NUL-terminated in place, without its \n or \r\n; it is valid until the next
 * call. A line may hold NUL bytes: compare strlen with the length where that matters.
 */
#ifndef QN_TEXT_LINES_H
#define QN_TEXT_LINES_H

#include <stddef.h>

#include "text/error.h"

struct qn_text_lines {
    int fd;
    const char *path; /* the caller's; for messages */
    char *buffer;
    size_t room, start, end; /* text not yet handed out: buffer[start..end) */
    int at_end;
    int is_whole; /* the line handed out last has a newline */
    long number; /* of the line handed out last; 0 before the first */
};

/* Opens `path` as input.h does ("-" is standard input, packed files are unpacked). */
enum qn_text_status qn_text_open_lines(struct qn_text_lines *l, const char *path,
                                       struct qn_text_error *err);

/* The next line: 1 and *text, *length; 0 at the end; -1 with `err` filled. */
int qn_text_next_line(struct qn_text_lines *l, char **text, size_t *length,
                      struct qn_text_error *err);

void qn_text_close_lines(struct qn_text_lines *l);

#endif
