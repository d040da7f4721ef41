/*
 * Opens what a user names: a file, a pipe, "-" for standard input, each also compressed.
 *
 * In:  "x.out.gz"
 * Out: a descriptor from which the text of x.out is read, from its first byte, as often as it is opened
 *
 * Pipes and compressed files are copied to memory when they are opened first; later openings of the same name read that copy. gzip, xz, zstd
 * and bzip2 are recognised by their first bytes, whatever the name.
 */
#ifndef QN_TEXT_INPUT_H
#define QN_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "text/error.h"

/* -1 with `err` filled on failure. Close it. */
int qn_text_open_input(const char *path, struct qn_text_error *err);

/* The same as a stream. NULL on failure, with `errno` set. */
FILE *qn_text_open_kept(const char *path);

/* From now on `path` is read from this descriptor, which can be read again (a file in memory), and which stays open. */
void qn_text_replace_input(const char *path, int fd);

/* ---- lines of a text file, one at a time, of any length, in bounded memory ----
 *
 * In:  "a\r\nbb\nccc"
 * Out: "a", "bb", "ccc" (number 1, 2, 3), then the end
 *
 * Invariants: a line is NUL-terminated in place, without its \n or \r\n; it is valid until the next
 * call. A line may hold NUL bytes: compare strlen with the length where that matters.
 */

/* The part of a file that is in memory. */
struct qn_text_window {
    int fd;
    char *buffer;            /* with one byte more than `room` */
    size_t room, start, end; /* what was read and not taken: buffer[start..end) */
    bool at_end;
};

/* The window owns the descriptor from now on. */
void qn_text_open_window(struct qn_text_window *w, int fd, size_t room);
void qn_text_close_window(struct qn_text_window *w);
/* Reads more behind what was not taken; doubles the buffer if that fills it.  0, or an errno, and then it is at the end. */
int qn_text_read_more(struct qn_text_window *w);

struct qn_text_lines {
    struct qn_text_window window;
    const char *path; /* the caller's; for messages */
    int is_whole; /* the line handed out last has a newline */
    long number; /* of the line handed out last; 0 before the first */
};

/* Opens `path` as qn_text_open_input does ("-" is standard input, packed files are unpacked). */
enum qn_text_status qn_text_open_lines(struct qn_text_lines *l, const char *path,
                                       struct qn_text_error *err);

/* The next line: 1 and *text, *length; 0 at the end; -1 with `err` filled. */
int qn_text_next_line(struct qn_text_lines *l, char **text, size_t *length,
                      struct qn_text_error *err);

void qn_text_close_lines(struct qn_text_lines *l);

#endif
