/*
 * Line reader over one growing buffer. See lines.h.
 *
 * In:  a file descriptor
 * Out: lines in place; the buffer grows only where a single line is longer than it
 */
#define _GNU_SOURCE
#include "text/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "text/sizes.h"

/* The NUL behind a last line that has no newline and fills the buffer. */
#define SLACK 1

/* A line longer than this is not text that any profiler wrote. */
#define LINE_MAX_BYTES ((size_t)1 << 28)

#define NAME_ROOM 40 /* of /proc/self/fd/N */

/* Inputs that cannot be read twice, and copies that can. */
static struct copy {
    char *path;
    int fd;
} *copies;
static size_t copy_count, copy_room;

static struct copy *find_copy(const char *path)
{
    for (size_t i = 0; i < copy_count; i++)
        if (!strcmp(copies[i].path, path))
            return &copies[i];
    return NULL;
}

static enum qn_text_status fail_input(const char *path, const char *what, struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

static enum qn_text_status copy_input(const char *path, int from, int to, struct qn_text_error *err)
{
    char part[QN_TEXT_LINES_BYTES];
    ssize_t n, written;
    while ((n = read(from, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_input(path, "read", err);
        for (ssize_t done = 0; done < n; done += written)
            if ((written = write(to, part + done, (size_t)(n - done))) < 0)
                return fail_input(path, "keep", err);
    }
    return QN_TEXT_OK;
}

static void add_copy(const char *path, int fd)
{
    QN_MORE(copies, copy_count, copy_room, 4);
    copies[copy_count++] = (struct copy){QN_NEEDED(strdup(path)), fd};
}

void qn_text_replace_input(const char *path, int fd)
{
    struct copy *c = find_copy(path);
    if (!c) {
        add_copy(path, fd);
        return;
    }
    close(c->fd);
    c->fd = fd;
}

enum qn_text_status qn_text_keep_input(const char *path, struct qn_text_error *err)
{
    bool standard = !strcmp(path, "-");
    struct stat st;
    int from, copy;
    if (find_copy(path) || (!standard && (stat(path, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))))
        return QN_TEXT_OK;
    from = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return fail_input(path, "open", err);
    copy = memfd_create("quern-input", MFD_CLOEXEC);
    if (copy < 0)
        fail_input(path, "keep", err);
    else if (copy_input(path, from, copy, err) == QN_TEXT_OK)
        add_copy(path, copy);
    else
        close(copy);
    if (!standard)
        close(from);
    return err->status;
}

/* The name to open: each opening of a copy begins at its first byte. */
static const char *locate(const char *path, char name[NAME_ROOM])
{
    const struct copy *c = find_copy(path);
    if (!c)
        return path;
    snprintf(name, NAME_ROOM, "/proc/self/fd/%d", c->fd);
    return name;
}

static int open_input(const char *path)
{
    char name[NAME_ROOM];
    const char *from = locate(path, name);
    return strcmp(from, "-") == 0 ? STDIN_FILENO : open(from, O_RDONLY | O_CLOEXEC);
}

FILE *qn_text_open_kept(const char *path)
{
    char name[NAME_ROOM];
    return fopen(locate(path, name), "re");
}

enum qn_text_status qn_text_open_lines(struct qn_text_lines *l, const char *path,
                                       struct qn_text_error *err)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    l->fd = open_input(path);
    if (l->fd < 0)
        return qn_text_fail(err, QN_TEXT_IO, "%s: cannot open: %s", path, strerror(errno));
    l->buffer = QN_NEEDED(malloc(QN_TEXT_LINES_BYTES + SLACK));
    l->room = QN_TEXT_LINES_BYTES;
    return QN_TEXT_OK;
}

void qn_text_close_lines(struct qn_text_lines *l)
{
    if (l->fd > STDIN_FILENO)
        close(l->fd);
    free(l->buffer);
    l->buffer = NULL;
    l->fd = -1;
}

/* Moves the text that is left to the front; doubles the buffer if it is full. */
static int make_room(struct qn_text_lines *l, struct qn_text_error *err)
{
    memmove(l->buffer, l->buffer + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    if (l->end < l->room)
        return 0;
    if (l->room >= LINE_MAX_BYTES) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: line too long, got more than %zu bytes, wanted text",
                     l->path, l->number + 1, LINE_MAX_BYTES);
        return -1;
    }
    l->room *= 2;
    l->buffer = QN_NEEDED(realloc(l->buffer, l->room + SLACK));
    return 0;
}

static int refill(struct qn_text_lines *l, struct qn_text_error *err)
{
    if (make_room(l, err) != 0)
        return -1;
    for (;;) {
        ssize_t n = read(l->fd, l->buffer + l->end, l->room - l->end);
        if (n >= 0) {
            l->end += (size_t)n;
            l->at_end = n == 0;
            return 0;
        }
        if (errno == EINTR)
            continue;
        qn_text_fail(err, QN_TEXT_IO, "%s: cannot read: %s", l->path, strerror(errno));
        return -1;
    }
}

static void hand_out(struct qn_text_lines *l, size_t length, char **text, size_t *out)
{
    *text = l->buffer + l->start;
    l->start += length + 1;
    if (l->start > l->end)
        l->start = l->end;
    if (length > 0 && (*text)[length - 1] == '\r')
        length--;
    (*text)[length] = '\0';
    *out = length;
    l->number++;
}

int qn_text_next_line(struct qn_text_lines *l, char **text, size_t *length,
                      struct qn_text_error *err)
{
    size_t scanned = 0;
    for (;;) {
        char *from = l->buffer + l->start;
        size_t have = l->end - l->start;
        char *newline = memchr(from + scanned, '\n', have - scanned);
        if (newline || (l->at_end && have > 0)) {
            l->is_whole = newline != NULL;
            hand_out(l, newline ? (size_t)(newline - from) : have, text, length);
            return 1;
        }
        if (l->at_end)
            return 0;
        scanned = have;
        if (refill(l, err) != 0)
            return -1;
    }
}
