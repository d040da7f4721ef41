/*
 * A source file, line by line.
 *
 * In:  a path that a profile names: there may be anything
 * Out: its lines, as far as they are asked for; or why it cannot be read
 *
 * Invariants: only regular files are opened, and opening never waits.  Memory does not grow with the file: it holds a piece of it, and a
 * line at least.  After QN_TEXT_SOURCE_BYTES, or a line of more than QN_TEXT_SOURCE_LINE, the text ends, with `error` EFBIG.
 */
#ifndef QN_TEXT_SOURCE_H
#define QN_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "text/input.h"
#include "text/options.h"

#define QN_TEXT_SOURCE_BYTES ((off_t)256 << 20) /* no compiler reads so much source as one file */
#define QN_TEXT_SOURCE_LINE ((size_t)16 << 20)  /* bytes; a minified or generated file may be a single line */

struct qn_text_source {
    struct qn_text_window window;
    int error;  /* why the text ended before its end; 0: it did not */
    bool as_is; /* lines end at \n only, and have it; else at \n, \r\n or \r, and do not */
    off_t size, taken;
    struct timespec modified;
};

/* 0, or why not: an errno. */
int qn_text_open_source(struct qn_text_source *s, const char *path);
void qn_text_close_source(struct qn_text_source *s);

/* The next line, valid until the next call; false: there is none. */
bool qn_text_next_source_line(struct qn_text_source *s, const char **line, size_t *length);

/* In words: "No such file or directory". */
const char *qn_text_source_why(int error);

/* Do both have the same contents?  Neither has been read yet, nor is by this. */
bool qn_text_same_source(const struct qn_text_source *a, const struct qn_text_source *b);
bool qn_text_same_files(const char *a, const char *b); /* the same of two paths; false: one cannot be read */

/* Was a modified after b, to the nanosecond? */
bool qn_text_is_newer(struct timespec a, struct timespec b);

/* When the file was modified: 0, or an errno. */
int qn_text_time_of(const char *path, struct timespec *modified);

/* ---- sources that lie elsewhere than a profile says: --source-map=FROM=TO ----
 *
 * In:  "/build=/home/me/prog", then "/build/src/a.c"
 * Out: "/home/me/prog/src/a.c"
 *
 * FROM and TO are folders; FROM stands for whole names between slashes ("/build" is no part of "/builds/a.c").  An empty FROM is that of names
 * without a slash in front.  Of several, the longest that fits is taken.  A name that begins with TO stays as it is, so that mapping twice is
 * the same as mapping once.  For all readers of profiles and sources from then on.
 */

/* The option of all commands that read sources (options.h); it has no field. */
const char *qn_option_source_map(const struct qn_option *o, void *field, char **value);
#define QN_OPTION_SOURCE_MAP QN_OPTION_PLAIN("--source-map", "FROM=TO", "sources in folder FROM are in TO now; may be repeated", qn_option_source_map)

/* The name, or the one that it is mapped to, which is valid until the next call; *length is its length. */
const char *qn_text_map_source(const char *name, size_t *length);

#endif
