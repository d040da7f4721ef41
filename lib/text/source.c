/* lib/text/source.c - see source.h. */
#define _GNU_SOURCE
#include "text/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

/* ---- --source-map ---- */

static struct map {
    char *from, *to; /* without a slash at the end */
    size_t from_length, to_length;
} *maps;
static size_t map_count, map_room;

static size_t trim(char *folder)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        folder[--n] = '\0';
    return n;
}

const char *qn_option_source_map(const struct qn_option *o, void *field, char **value)
{
    const char *text = *value, *equals = strchr(text, '=');
    struct map m;

    (void)o, (void)field;
    if (!equals || !equals[1])
        return "FROM=TO";
    m.from = QN_NEEDED(strndup(text, (size_t)(equals - text)));
    m.to = QN_NEEDED(strdup(equals + 1));
    /* All of a file system is "/": what follows keeps its slash. */
    m.from_length = trim(m.from);
    m.to_length = trim(m.to);
    if (equals != text && !m.from_length)
        m.from[0] = '/';
    QN_MORE(maps, map_count, map_room, 4);
    maps[map_count++] = m;
    return NULL;
}

static bool begins(const char *name, size_t length, const char *folder, size_t n)
{
    return length >= n && memcmp(name, folder, n) == 0 && (length == n || name[n] == '/');
}

static bool fits(const struct map *m, const char *name, size_t length)
{
    if (!length || begins(name, length, m->to, m->to_length))
        return false;
    if (!m->from_length)
        return m->from[0] == '/' ? name[0] == '/' : name[0] != '/' && name[0] != '?' && name[0] != '<' && name[0] != '(';
    return length > m->from_length && begins(name, length, m->from, m->from_length);
}

const char *qn_text_map_source(const char *name, size_t *length)
{
    static char *mapped;
    static size_t room;
    const struct map *best = NULL;
    size_t rest, slash;
    for (size_t i = 0; i < map_count; i++)
        if (fits(&maps[i], name, *length) && (!best || maps[i].from_length > best->from_length))
            best = &maps[i];
    if (!best)
        return name;
    rest = *length - best->from_length;
    slash = name[best->from_length] != '/';
    if (room < best->to_length + slash + rest + 1) {
        room = 2 * (best->to_length + slash + rest + 1);
        mapped = QN_NEEDED(realloc(mapped, room));
    }
    memcpy(mapped, best->to, best->to_length);
    mapped[best->to_length] = '/';
    memcpy(mapped + best->to_length + slash, name + best->from_length, rest);
    *length = best->to_length + slash + rest;
    mapped[*length] = '\0';
    return mapped;
}

#define PIECE ((size_t)1 << 16)
#define NOT_REGULAR ESPIPE /* a FIFO, a device, a socket */

int qn_text_open_source(struct qn_text_source *s, const char *path)
{
    struct stat st;
    size_t length = strlen(path);
    int error = 0;

    path = qn_text_map_source(path, &length);
    *s = (struct qn_text_source){ .window.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
    if (s->window.fd < 0)
        return errno == ENXIO ? NOT_REGULAR : errno; /* a socket */
    if (fstat(s->window.fd, &st))
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = S_ISDIR(st.st_mode) ? EISDIR : NOT_REGULAR;
    if (error) {
        qn_text_close_source(s);
        return error;
    }
    s->size = st.st_size;
    s->modified = st.st_mtim;
    qn_text_open_window(&s->window, s->window.fd, PIECE);
    return 0;
}

void qn_text_close_source(struct qn_text_source *s) { qn_text_close_window(&s->window); }

const char *qn_text_source_why(int error)
{
    return error == NOT_REGULAR ? "Not a regular file" : error == EFBIG ? "Its text is larger than sources are" : strerror(error);
}

/* Reads more of the file.  At the end, or a limit, there is no more. */
static void fill(struct qn_text_source *s)
{
    struct qn_text_window *w = &s->window;
    size_t before = w->end - w->start;

    if (before >= QN_TEXT_SOURCE_LINE || s->taken >= QN_TEXT_SOURCE_BYTES) {
        s->error = EFBIG;
        w->start = w->end = 0;
        w->at_end = true;
        return;
    }
    s->error = qn_text_read_more(w);
    s->taken += (off_t)(w->end - before);
}

/* Where the line ends that begins at `start`: its \n or \r; NULL: not in what was read. */
static const char *find_end(const struct qn_text_source *s, size_t scanned)
{
    const char *from = s->window.buffer + s->window.start + scanned;
    size_t left = (size_t)(s->window.buffer + s->window.end - from);
    const char *newline = memchr(from, '\n', left);
    const char *other = s->as_is ? NULL : memchr(from, '\r', newline ? (size_t)(newline - from) : left);

    return other ? other : newline;
}

bool qn_text_next_source_line(struct qn_text_source *s, const char **line, size_t *length)
{
    const char *end;
    size_t scanned = 0;

    if (!s->window.buffer)
        return false;
    /* A \r at the end of a piece may be the first byte of \r\n. */
    while (!(end = find_end(s, scanned)) || (*end == '\r' && end + 1 == s->window.buffer + s->window.end)) {
        if (s->window.at_end)
            break;
        scanned = (size_t)((end ? end : s->window.buffer + s->window.end) - (s->window.buffer + s->window.start));
        fill(s);
        scanned = s->window.end ? scanned : 0;
    }
    *line = s->window.buffer + s->window.start;
    *length = (size_t)((end ? end + s->as_is : s->window.buffer + s->window.end) - *line);
    if (!end && !*length)
        return false;
    s->window.start += *length + (end && !s->as_is);
    if (end && *end == '\r' && s->window.start < s->window.end && s->window.buffer[s->window.start] == '\n')
        s->window.start++;
    return true;
}

bool qn_text_same_source(const struct qn_text_source *a, const struct qn_text_source *b)
{
    char p[PIECE], q[PIECE];
    ssize_t n = 1;

    if (a->size != b->size)
        return false;
    for (off_t at = 0; n > 0 && at < QN_TEXT_SOURCE_BYTES; at += n) {
        n = pread(a->window.fd, p, sizeof p, at);
        if (n < 0 || pread(b->window.fd, q, sizeof q, at) != n || memcmp(p, q, (size_t)n))
            return false;
    }
    return true;
}

bool qn_text_same_files(const char *a, const char *b)
{
    struct qn_text_source p, q;
    int no_p = qn_text_open_source(&p, a), no_q = qn_text_open_source(&q, b);
    bool same = !no_p && !no_q && qn_text_same_source(&p, &q);

    qn_text_close_source(&p);
    qn_text_close_source(&q);
    return same;
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
