/*
 * The profile writer. See write.h.
 *
 * In:  puts in the order of the format
 * Out: a complete file under its final name, or none
 *
 * Invariants: `status` is sticky; once it is set nothing more is written and close unlinks the
 * temporary file. `temporary` is NULL where the target is written directly (a device, a pipe).
 */
#define _GNU_SOURCE
#include "prof/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prof/counts.h"
#include "prof/escape.h"
#include "prof/sizes.h"

/* The longest number: "-9223372036854775808" */
#define NUMBER_MAX 20

struct qn_prof_writer {
    int fd, owned;
    char *path;      /* the final name */
    char *temporary; /* the name written to, or NULL */
    int events;
    int remarks, in_line; /* every line is a comment; one has been begun */
    enum qn_prof_form form;
    char *file; /* of the merged form: repeated before each function */
    struct qn_prof_error error;
    size_t used;
    char buffer[QN_PROF_WRITE_BYTES];
};

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

static void put_bytes(struct qn_prof_writer *w, const char *text, size_t n)
{
    if (w->remarks)
        put_remark(w, text, n);
    else
        put_plain(w, text, n);
}

void qn_prof_set_events(struct qn_prof_writer *w, int count)
{
    w->events = count;
}

void qn_prof_put_text(struct qn_prof_writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

void qn_prof_put_escaped(struct qn_prof_writer *w, const char *text)
{
    for (; *text; text++) {
        char piece[QN_PROF_ESCAPE_MAX + 1];
        put_bytes(w, piece, qn_prof_escape_byte(piece, (unsigned char)*text));
    }
}

/* Digits of `value` at `to`, at most NUMBER_MAX; returns the end. */
static char *digits_of(char *to, int64_t value)
{
    char digits[NUMBER_MAX];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        digits[--at] = '-';
    memcpy(to, digits + at, sizeof digits - at);
    return to + (sizeof digits - at);
}

static void put_number(struct qn_prof_writer *w, char before, int64_t value, char after)
{
    char text[NUMBER_MAX + 2], *end = text;
    if (before)
        *end++ = before;
    end = digits_of(end, value);
    if (after)
        *end++ = after;
    put_bytes(w, text, (size_t)(end - text));
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

void qn_prof_set_form(struct qn_prof_writer *w, enum qn_prof_form form)
{
    w->form = form;
}

void qn_prof_put_line(struct qn_prof_writer *w, const char *text)
{
    qn_prof_put_escaped(w, text);
    qn_prof_put_text(w, "\n");
}

static void put_field(struct qn_prof_writer *w, const char *key, const char *text)
{
    qn_prof_put_text(w, key);
    qn_prof_put_line(w, text);
}

void qn_prof_put_desc(struct qn_prof_writer *w, const char *text)
{
    put_field(w, "desc: ", text);
}

void qn_prof_put_cmd(struct qn_prof_writer *w, const char *text)
{
    put_field(w, "cmd: ", text);
}

void qn_prof_put_cmd_argv(struct qn_prof_writer *w, const char *const *argv)
{
    qn_prof_put_text(w, "cmd:");
    for (; *argv; argv++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_escaped(w, *argv);
    }
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_events(struct qn_prof_writer *w, const char *const *names, int count)
{
    w->events = count;
    qn_prof_put_text(w, "events:");
    for (int i = 0; i < count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_escaped(w, names[i]);
    }
    qn_prof_put_text(w, "\n");
}

static const char *known(const char *name)
{
    return name && *name ? name : "???";
}

void qn_prof_put_file(struct qn_prof_writer *w, const char *name)
{
    if (w->form == QN_PROF_COMPACT) {
        put_field(w, "fl=", known(name));
        return;
    }
    free(w->file);
    w->file = strdup(known(name));
    if (!w->file)
        qn_prof_fail_memory(&w->error);
}

void qn_prof_put_fn(struct qn_prof_writer *w, const char *name)
{
    if (w->form == QN_PROF_MERGED && w->file)
        put_field(w, "fl=", w->file);
    put_field(w, "fn=", known(name));
}

void qn_prof_put_positions(struct qn_prof_writer *w, enum qn_prof_positions positions)
{
    qn_prof_put_text(w, "#positions: object line");
    qn_prof_put_text(w, positions == QN_PROF_BY_INSN ? " instruction\n" : "\n");
}

void qn_prof_put_object(struct qn_prof_writer *w, const char *name)
{
    put_field(w, "#ob=", known(name));
}

void qn_prof_put_insn(struct qn_prof_writer *w, const struct qn_prof_insn *insn, const int64_t *counts)
{
    char text[QN_PROF_INSN_TEXT];
    qn_prof_format_address(text, insn->address);
    qn_prof_put_text(w, "#");
    qn_prof_put_text(w, text);
    qn_prof_format_bytes(text, insn);
    qn_prof_put_text(w, " ");
    qn_prof_put_text(w, text);
    for (int i = 0; i < w->events; i++)
        put_number(w, ' ', qn_prof_count(counts[i]), '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_counts(struct qn_prof_writer *w, uint32_t line, const int64_t *counts)
{
    int merged = w->form == QN_PROF_MERGED;
    put_number(w, '\0', line, '\0');
    if (merged)
        qn_prof_put_text(w, "   ");
    for (int i = 0; i < w->events; i++)
        put_number(w, merged ? '\0' : ' ', qn_prof_count(counts[i]), merged ? ' ' : '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_summary(struct qn_prof_writer *w, const int64_t *counts)
{
    qn_prof_put_text(w, "summary:");
    for (int i = 0; i < w->events; i++)
        put_number(w, ' ', qn_prof_count(counts[i]), '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_regions(struct qn_prof_writer *w, int count)
{
    w->remarks = 1;
    qn_prof_put_text(w, "regions:");
    put_number(w, ' ', count, '\n');
}

void qn_prof_begin_region(struct qn_prof_writer *w, const char *path)
{
    qn_prof_put_text(w, "region: ");
    qn_prof_put_line(w, path);
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
