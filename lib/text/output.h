/*
 * Files and folders that quern writes: a name stands for a whole file, or for none.
 *
 * In:  qn_text_open_output(&o, "out/p", 0600, &err), writes to o.fd, qn_text_close_output(&o, &err)
 * Out: out/p, which was out/.p.XXXXXX until it was whole; or one message, and out/p as it was before
 *
 * Invariants: unfinished files, and scratch folders with all they hold, are removed when the command ends by exit, SIGINT, SIGTERM or
 * SIGHUP.  A link is followed: the file that it points to is replaced.  A target that is no regular file (a device, a pipe), or is one of our
 * descriptors (/dev/stdout), is written directly.  At a limit of file sizes writes fail: SIGXFSZ does not end the command.
 *
 * Not done: fsync.  After a crash of the machine there is the old file, the new one or, on some file systems, an empty one.
 */
#ifndef QN_TEXT_OUTPUT_H
#define QN_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "text/error.h"

#define QN_TEXT_PRIVATE 0600 /* modes: the user alone; the umask is not applied */
#define QN_TEXT_SHARED 0666  /* all whom the umask allows */

struct qn_text_output {
    int fd;
    FILE *stream;    /* NULL until qn_text_stream_output has made one */
    char *path;      /* the final name */
    char *temporary; /* the name written to; NULL: the target itself */
};

/* Opens the file.  QN_TEXT_IO: it cannot be written, and `err` says why.  On failure nothing is open. */
enum qn_text_status qn_text_open_output(struct qn_text_output *o, const char *path, mode_t mode, struct qn_text_error *err);

/* The same file as a stream, which closing or dropping the output closes. */
FILE *qn_text_stream_output(struct qn_text_output *o);

/* Closes the file and gives it its name.  If that fails, a write to the stream failed before, or `err` says that something else did, the file is
 * removed. */
enum qn_text_status qn_text_close_output(struct qn_text_output *o, struct qn_text_error *err);

/* Closes and removes the file. */
void qn_text_drop_output(struct qn_text_output *o);

/* Closes the file and leaves it under its temporary name, which is returned (free it); NULL: it has none, as a pipe. */
char *qn_text_leave_output(struct qn_text_output *o);

/* Makes a write beyond the limit of file sizes fail with EFBIG, that to standard output, too. */
void qn_text_pass_over_file_limit(void);

/* Writes all bytes; false: errno says why. */
bool qn_text_write_all(int fd, const void *bytes, size_t size);

/* A file without a name that goes when it is closed: in memory, or where no such call is, in $TMPDIR.  -1: errno says why. */
int qn_text_nameless_file(const char *what);

/* Tests, before a long computation, whether the name can be written: writes a byte beside it, or nothing to a device.  Changes nothing. */
enum qn_text_status qn_text_check_output(const char *path, struct qn_text_error *err);

/* Makes a folder; `path` ends in XXXXXX, which is replaced.  Returns `path`; NULL: errno says why. */
char *qn_text_make_scratch(char *path);

/* From now on a signal that ends the command removes this folder or file, too. */
void qn_text_watch_scratch(const char *path);

/* From now on a signal leaves it. */
void qn_text_keep_scratch(const char *path);

/* Removes a folder, with all it holds, or a file; links are not followed.  NULL is allowed. */
void qn_text_remove_scratch(const char *path);

#endif
