/*
 * Where a profile is written to. See write.h and writer.h.
 *
 * In:  a path, or an open file; bytes
 * Out: a complete file under its final name, or none
 *
 * Invariants: `error` is sticky; once it is set nothing more is written and close removes what was (output.h).
 */
#define _GNU_SOURCE
#include "prof/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"

static void fail_errno(struct qn_prof_writer *w, const char *doing)
{
    qn_text_fail(&w->error, QN_TEXT_IO, "%s: cannot %s: %s", w->path, doing, strerror(errno));
}

static void flush(struct qn_prof_writer *w)
{
    size_t done = 0;
    while (done < w->used && w->error.status == QN_TEXT_OK) {
        ssize_t n = write(w->output.fd, w->buffer + done, w->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            fail_errno(w, "write");
    }
    w->used = 0;
}

static void put_plain(struct qn_prof_writer *w, const char *text, size_t n)
{
    while (n > 0 && w->error.status == QN_TEXT_OK) {
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

/* Writes the text with a # in front of each line. */
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

/* Writes through the buffer; while `remarks` is set, each line gets a # in front. */
void qn_prof_put_bytes(struct qn_prof_writer *w, const char *text, size_t n)
{
    if (w->remarks)
        put_remark(w, text, n);
    else
        put_plain(w, text, n);
}

static struct qn_prof_writer *new_writer(const char *path)
{
    struct qn_prof_writer *w = QN_NEEDED(calloc(1, sizeof *w));
    w->path = QN_NEEDED(strdup(path));
    return w;
}

static void free_writer(struct qn_prof_writer *w)
{
    free(w->path);
    free(w->file);
    free(w);
}

struct qn_prof_writer *qn_prof_open_writer(const char *path, struct qn_text_error *err)
{
    struct qn_prof_writer *w = new_writer(path);
    w->owned = 1;
    if (qn_text_open_output(&w->output, path, QN_TEXT_PRIVATE, err) == QN_TEXT_OK)
        return w;
    free_writer(w);
    return NULL;
}

struct qn_prof_writer *qn_prof_open_writer_fd(int fd, const char *name)
{
    struct qn_prof_writer *w = new_writer(name);
    w->output.fd = fd;
    return w;
}

enum qn_text_status qn_prof_close_writer(struct qn_prof_writer *w, struct qn_text_error *err)
{
    flush(w);
    enum qn_text_status status = w->error.status;
    if (status != QN_TEXT_OK)
        qn_text_fail(err, status, "%s", w->error.text);
    if (w->owned && status != QN_TEXT_OK)
        qn_text_drop_output(&w->output);
    else if (w->owned)
        status = qn_text_close_output(&w->output, err);
    free_writer(w);
    return status;
}

void qn_prof_abandon_writer(struct qn_prof_writer *w)
{
    if (!w)
        return;
    if (w->owned)
        qn_text_drop_output(&w->output);
    free_writer(w);
}
