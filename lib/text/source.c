/* lib/text/source.c - see source.h. */
#define _GNU_SOURCE
#include "text/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "text/source_map.h"

#define PIECE ((size_t)1 << 16)
#define NOT_REGULAR ESPIPE /* a FIFO, a device, a socket */

int qn_text_open_source(struct qn_text_source *s, const char *path)
{
    struct stat st;
    size_t length = strlen(path);
    int error = 0;

    path = qn_text_map_source(path, &length);
    *s = (struct qn_text_source){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
    if (s->fd < 0)
        return errno == ENXIO ? NOT_REGULAR : errno; /* a socket */
    if (fstat(s->fd, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = S_ISDIR(st.st_mode) ? EISDIR : NOT_REGULAR;
    if (error) {
        qn_text_close_source(s);
        return error;
    }
    s->size = st.st_size;
    s->modified = st.st_mtim;
    s->room = PIECE;
    s->buffer = QN_NEEDED(malloc(s->room));
    return 0;
}

void qn_text_close_source(struct qn_text_source *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->buffer);
    s->buffer = NULL;
    s->fd = -1;
}

const char *qn_text_source_why(int error)
{
    return error == NOT_REGULAR ? "Not a regular file" : error == EFBIG ? "Its text is larger than sources are" : strerror(error);
}

/* Reads a piece more behind what is there.  At the end, or a limit, there is no more. */
static void fill(struct qn_text_source *s)
{
    ssize_t n;

    memmove(s->buffer, s->buffer + s->start, s->end - s->start);
    s->end -= s->start;
    s->start = 0;
    if (s->end >= QN_TEXT_SOURCE_LINE || s->taken >= QN_TEXT_SOURCE_BYTES) {
        s->error = EFBIG;
        s->end = 0;
        s->at_end = true;
        return;
    }
    if (s->end == s->room)
        s->buffer = QN_NEEDED(realloc(s->buffer, s->room *= 2));
    while ((n = read(s->fd, s->buffer + s->end, s->room - s->end)) < 0 && errno == EINTR)
        continue;
    s->error = n < 0 ? errno : 0;
    s->at_end = n <= 0;
    s->end += n > 0 ? (size_t)n : 0;
    s->taken += n > 0 ? n : 0;
}

/* Where the line ends that begins at `start`: its \n or \r; NULL: not in what was read. */
static const char *find_end(const struct qn_text_source *s, size_t scanned)
{
    const char *from = s->buffer + s->start + scanned;
    size_t left = (size_t)(s->buffer + s->end - from);
    const char *newline = memchr(from, '\n', left);
    const char *other = s->as_is ? NULL : memchr(from, '\r', newline ? (size_t)(newline - from) : left);

    return other ? other : newline;
}

bool qn_text_next_source_line(struct qn_text_source *s, const char **line, size_t *length)
{
    const char *end;
    size_t scanned = 0;

    if (!s->buffer)
        return false;
    /* A \r at the end of a piece may be the first byte of \r\n. */
    while (!(end = find_end(s, scanned)) || (*end == '\r' && end + 1 == s->buffer + s->end)) {
        if (s->at_end)
            break;
        scanned = (size_t)((end ? end : s->buffer + s->end) - (s->buffer + s->start));
        fill(s);
        scanned = s->end ? scanned : 0;
    }
    *line = s->buffer + s->start;
    *length = (size_t)((end ? end + s->as_is : s->buffer + s->end) - *line);
    if (!end && !*length)
        return false;
    s->start += *length + (end && !s->as_is);
    if (end && *end == '\r' && s->start < s->end && s->buffer[s->start] == '\n')
        s->start++;
    return true;
}

bool qn_text_same_source(const struct qn_text_source *a, const struct qn_text_source *b)
{
    char p[PIECE], q[PIECE];
    ssize_t n = 1;

    if (a->size != b->size)
        return false;
    for (off_t at = 0; n > 0 && at < QN_TEXT_SOURCE_BYTES; at += n) {
        n = pread(a->fd, p, sizeof p, at);
        if (n < 0 || pread(b->fd, q, sizeof q, at) != n || memcmp(p, q, (size_t)n))
            return false;
    }
    return true;
}

bool qn_text_is_newer(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

int qn_text_time_of(const char *path, struct timespec *modified)
{
    struct stat st;
    size_t length = strlen(path);

    if (stat(qn_text_map_source(path, &length), &st) != 0)
        return errno;
    *modified = st.st_mtim;
    return 0;
}
