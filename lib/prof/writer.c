/*
 * Where a profile is written to. See write.h and writer.h.
 *
 * In:  a path, or an open file; bytes
 * Out: a complete file under its final name, or none
 *
 * Invariants: `error` is sticky; once it is set nothing more is written and close unlinks the temporary file.
 * `temporary` is NULL where the target is written directly (a device, a pipe).
 */
#define _GNU_SOURCE
#include "prof/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail_errno(struct qn_prof_writer *w, const char *doing)
{
    qn_prof_fail(&w->error, QN_PROF_IO, "%s: cannot %s: %s", w->path, doing, strerror(errno));
}

static void flush(struct qn_prof_writer *w)
{
    size_t done = 0;
    while (done < w->used && w->error.status == QN_PROF_OK) {
        ssize_t n = write(w->fd, w->buffer + done, w->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            fail_errno(w, "write");
    }
    w->used = 0;
}

static void put_plain(struct qn_prof_writer *w, const char *text, size_t n)
{
    while (n > 0 && w->error.status == QN_PROF_OK) {
        size_t room = QN_PROF_WRITE_BYTES - w->used;
        size_t part = n < room ? n : room;
        memcpy(w->buffer + w->used, text, part);
        w->used += part;
        text += part;
        n -= part;
        if (w->used == QN_PROF_WRITE_BYTES)
            flush(w);
    }
}

/* The text line by line, each behind a #. */
static void put_remark(struct qn_prof_writer *w, const char *text, size_t n)
{
    while (n > 0) {
        const char *newline = memchr(text, '\n', n);
        size_t part = newline ? (size_t)(newline - text) + 1 : n;
        if (!w->in_line)
            put_plain(w, "#", 1);
        put_plain(w, text, part);
        w->in_line = !newline;
        text += part;
        n -= part;
    }
}

void qn_prof_put_bytes(struct qn_prof_writer *w, const char *text, size_t n)
{
    if (w->remarks)
        put_remark(w, text, n);
    else
        put_plain(w, text, n);
}

static struct qn_prof_writer *new_writer(const char *path, struct qn_prof_error *err)
{
    struct qn_prof_writer *w = calloc(1, sizeof *w);
    char *name = strdup(path);
    if (!w || !name) {
        free(w);
        free(name);
        qn_prof_fail_memory(err);
        return NULL;
    }
    w->fd = -1;
    w->path = name;
    return w;
}

static void free_writer(struct qn_prof_writer *w)
{
    if (w->owned && w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w->temporary);
    free(w->file);
    free(w);
}

/* A name beside the target that nothing else uses: DIR/.BASE.XXXXXX. */
static void open_temporary(struct qn_prof_writer *w)
{
    const char *slash = strrchr(w->path, '/');
    int dir = slash ? (int)(slash - w->path) + 1 : 0;
    if (asprintf(&w->temporary, "%.*s.%s.XXXXXX", dir, w->path, w->path + dir) < 0) {
        w->temporary = NULL;
        qn_prof_fail_memory(&w->error);
        return;
    }
    w->fd = mkostemp(w->temporary, O_CLOEXEC);
    if (w->fd >= 0)
        return;
    fail_errno(w, "create");
    free(w->temporary);
    w->temporary = NULL;
}

/* A link is followed, so that renaming replaces what it points to and not the link. */
static void follow_link(struct qn_prof_writer *w)
{
    char *real = realpath(w->path, NULL);
    if (!real)
        return;
    free(w->path);
    w->path = real;
}

static void open_target(struct qn_prof_writer *w)
{
    struct stat st;
    if (stat(w->path, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        fail_errno(w, "create");
    } else if (stat(w->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
        if (w->fd < 0)
            fail_errno(w, "open");
    } else {
        if (lstat(w->path, &st) == 0 && S_ISLNK(st.st_mode))
            follow_link(w);
        open_temporary(w);
    }
}

struct qn_prof_writer *qn_prof_open_writer(const char *path, struct qn_prof_error *err)
{
    struct qn_prof_writer *w = new_writer(path, err);
    if (!w)
        return NULL;
    w->owned = 1;
    open_target(w);
    if (w->error.status == QN_PROF_OK)
        return w;
    qn_prof_fail(err, w->error.status, "%s", w->error.text);
    free_writer(w);
    return NULL;
}

struct qn_prof_writer *qn_prof_open_writer_fd(int fd, const char *name, struct qn_prof_error *err)
{
    struct qn_prof_writer *w = new_writer(name, err);
    if (w)
        w->fd = fd;
    return w;
}

static void finish(struct qn_prof_writer *w)
{
    flush(w);
    int fd = w->fd;
    w->fd = -1;
    if (w->owned && close(fd) != 0)
        fail_errno(w, "write");
    if (w->temporary && w->error.status == QN_PROF_OK && rename(w->temporary, w->path) != 0)
        fail_errno(w, "rename");
}

enum qn_prof_status qn_prof_close_writer(struct qn_prof_writer *w, struct qn_prof_error *err)
{
    finish(w);
    enum qn_prof_status status = w->error.status;
    if (status != QN_PROF_OK) {
        if (w->temporary)
            unlink(w->temporary);
        qn_prof_fail(err, status, "%s", w->error.text);
    }
    free_writer(w);
    return status;
}

void qn_prof_abandon_writer(struct qn_prof_writer *w)
{
    if (!w)
        return;
    if (w->temporary)
        unlink(w->temporary);
    free_writer(w);
}
