/*
 * Source files. See source.h.
 *
 * In:  "a\r\nb"
 * Out: "a", "b"
 */
#define _GNU_SOURCE
#include "out/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 16 };

static int grow(struct qn_out_source *src, size_t *room)
{
    if (src->size < *room)
        return 0;
    size_t bigger = *room ? *room * 2 : FIRST_BYTES;
    char *text = realloc(src->text, bigger);
    if (!text)
        return ENOMEM;
    src->text = text;
    *room = bigger;
    return 0;
}

/* Reads to the end; sizes from stat are not trusted (pipes, /proc). */
static int read_all(struct qn_out_source *src, int fd)
{
    size_t room = 0;
    for (;;) {
        int error = grow(src, &room);
        if (error)
            return error;
        ssize_t n = read(fd, src->text + src->size, room - src->size);
        if (n == 0)
            return 0;
        if (n > 0)
            src->size += (size_t)n;
        else if (errno != EINTR)
            return errno;
    }
}

int qn_out_read_source(struct qn_out_source *src, const char *path)
{
    struct stat st;
    memset(src, 0, sizeof *src);
    /* O_NONBLOCK: a name that turns out to be a FIFO must not hang the report. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = fstat(fd, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : EISDIR;
    src->modified = st.st_mtim;
    if (!error)
        error = read_all(src, fd);
    close(fd);
    if (error)
        qn_out_free_source(src);
    return error;
}

void qn_out_free_source(struct qn_out_source *src)
{
    free(src->text);
    memset(src, 0, sizeof *src);
}

int qn_out_next_line(struct qn_out_source *src, const char **line, size_t *length)
{
    if (src->at == src->size)
        return 0;
    *line = src->text + src->at;
    size_t left = src->size - src->at, n = 0;
    while (n < left && (*line)[n] != '\n' && (*line)[n] != '\r')
        n++;
    *length = n;
    src->at += n;
    if (n < left)
        src->at += n + 1 < left && (*line)[n] == '\r' && (*line)[n + 1] == '\n' ? 2 : 1;
    return 1;
}

int qn_out_is_newer(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

int qn_out_time_of(const char *path, struct timespec *modified)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno;
    *modified = st.st_mtim;
    return 0;
}

int64_t qn_out_end_of_range(const struct qn_prof_log_lines *lines, uint32_t line, int64_t context)
{
    int64_t last = line;
    for (size_t i = lines->at; i < lines->count; i++) {
        int64_t next = (int64_t)lines->keys[i].key;
        if (last + 2 * context < next)
            break;
        last = next;
    }
    return last + context;
}

void qn_out_put_gap(struct qn_out_sink *s, int64_t line)
{
    qn_out_printf(s, "-- line %lld ----------------------------------------\n", (long long)line);
}
