/*
 * Line reader over one growing buffer. See lines.h.
 *
 * In:  a file descriptor
 * Out: lines in place; the buffer grows only where a single line is longer than it
 */
#define _GNU_SOURCE
#include "text/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "text/input.h"
#include "text/sizes.h"

/* The NUL behind a last line that has no newline and fills the buffer. */
#define SLACK 1

/* A line longer than this is not text that any profiler wrote. */
#define LINE_MAX_BYTES ((size_t)1 << 28)

enum qn_text_status qn_text_open_lines(struct qn_text_lines *l, const char *path,
                                       struct qn_text_error *err)
{
    memset(l, 0, sizeof *l);
    l->path = path;
    l->fd = qn_text_open_input(path, err);
    if (l->fd < 0)
        return err->status;
    l->buffer = QN_NEEDED(malloc(QN_TEXT_LINES_BYTES + SLACK));
    l->room = QN_TEXT_LINES_BYTES;
    return QN_TEXT_OK;
}

void qn_text_close_lines(struct qn_text_lines *l)
{
    if (l->fd >= 0)
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
