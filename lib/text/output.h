/*
 * Files and folders that quern makes: whole under their name, or not there.
 *
 * In:  qn_text_open_output(&o, "out/p", 0600, &err), writes to o.fd, qn_text_close_output(&o, &err)
 * Out: out/p, which was out/.p.XXXXXX until it was whole; or one message, and what was called out/p before
 *
 * Invariants: whatever has no name of its own yet goes when the command ends by SIGINT, SIGTERM or SIGHUP, also (folders) with
 * all that is in it.  A link is followed: what it points to is replaced.  A target that is no regular file (a device, a pipe)
 * is written directly.  A limit of file sizes is an error of the write, not the end of the command (SIGXFSZ).
 *
 * Not done: fsync.  After a crash of the machine an old file, the new one or, on some file systems, an empty one is there.
 */
#ifndef QN_TEXT_OUTPUT_H
#define QN_TEXT_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

#include "text/error.h"

#define QN_TEXT_PRIVATE 0600 /* modes: for the user alone, */
#define QN_TEXT_SHARED 0666  /* or for whom the umask lets */

struct qn_text_output {
    int fd;
    FILE *stream;    /* once qn_text_stream_output has made one */
    char *path;      /* the final name */
    char *temporary; /* the name written to; NULL: the target itself */
};

/* QN_TEXT_IO: the name cannot be written, and one line says why; nothing is open then. */
enum qn_text_status qn_text_open_output(struct qn_text_output *o, const char *path, mode_t mode, struct qn_text_error *err);

/* The same file as a stream, which is the output's; NULL: no memory. */
FILE *qn_text_stream_output(struct qn_text_output *o);

/* Gives the file its name.  On failure, then or in a write to the stream before, nothing is left of it. */
enum qn_text_status qn_text_close_output(struct qn_text_output *o, struct qn_text_error *err);

/* Gives up: nothing is left of it. */
void qn_text_drop_output(struct qn_text_output *o);

/* Gives up, but what has been written stays, under the name that is returned, to be freed; NULL: no name of its own, as of a pipe. */
char *qn_text_leave_output(struct qn_text_output *o);

/* Whether the name could be written now, a page at least; nothing is changed.  Asked before a long computation. */
enum qn_text_status qn_text_check_output(const char *path, struct qn_text_error *err);

/* A folder of our own: `path` ends in XXXXXX, which is replaced.  NULL: errno says why.  Returns `path`. */
char *qn_text_make_scratch(char *path);

/* A folder or file that has its name already becomes one that goes by a signal. */
void qn_text_watch_scratch(const char *path);

/* It has become something that stays. */
void qn_text_keep_scratch(const char *path);

/* Removes folder or file, with all that is in it; links are not followed.  NULL is allowed. */
void qn_text_remove_scratch(const char *path);

#endif
