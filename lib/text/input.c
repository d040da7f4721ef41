/*
 * What a user names, as text that can be read again. See input.h.
 *
 * In:  a path
 * Out: the file itself, or a copy of it in memory, unpacked
 */
#define _GNU_SOURCE
#include "text/input.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/base.h"
#include "base/grow.h"
#include "text/names.h"
#include "text/output.h"

/* ---- compressed files ----
 *
 * Memory is that of two pieces and of the library; what is written has at most UNPACKED_MAX bytes.
 */

#define PIECE ((size_t)256 << 10)
#define UNPACKED_MAX ((uint64_t)1 << 30) /* bytes; the copy is in memory, and a damaged or hostile file may unpack to anything */
#define XZ_MEMORY ((uint64_t)128 << 20)  /* bytes, enough for xz -9 */

/* One piece in, one piece out. */
struct piece {
    uint8_t *in, *out;
    size_t at, have, made; /* in[at..have) is left; out[0..made) is made */
    bool ends;             /* there is no more input */
};

enum step { MORE, END, DAMAGED };

struct packing {
    const char *magic; /* the first bytes */
    size_t length;
    const char *name;
    void *(*open)(void);
    enum step (*step)(void *state, struct piece *p); /* takes input, makes output */
    void (*close)(void *state);
};

static int fail_input(const char *path, const char *what, struct qn_text_error *err)
{
    int number = errno;
    qn_text_fail(err, QN_TEXT_IO, "%s: cannot %s: %s", path, what, strerror(number));
    errno = number;
    return -1;
}

/* ---- the libraries: a file may have several members, one behind the other ---- */

#define GZIP_WINDOW (16 + MAX_WBITS) /* with gzip's head and checksum */

static void *open_gzip(void)
{
    z_stream *z = QN_NEEDED(calloc(1, sizeof *z));
    if (inflateInit2(z, GZIP_WINDOW) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static enum step step_gzip(void *state, struct piece *p)
{
    z_stream *z = state;
    int said;
    z->next_in = p->in + p->at;
    z->avail_in = (uInt)(p->have - p->at);
    z->next_out = p->out;
    z->avail_out = (uInt)PIECE;
    said = inflate(z, Z_NO_FLUSH);
    p->at = p->have - z->avail_in;
    p->made = PIECE - z->avail_out;
    if (said == Z_STREAM_END)
        return inflateReset(z) == Z_OK ? END : DAMAGED;
    return said == Z_OK || said == Z_BUF_ERROR ? MORE : DAMAGED;
}

static void close_gzip(void *state)
{
    inflateEnd(state);
    free(state);
}

static void *open_xz(void)
{
    lzma_stream *x = QN_NEEDED(calloc(1, sizeof *x));
    if (lzma_stream_decoder(x, XZ_MEMORY, 0) == LZMA_OK)
        return x;
    free(x);
    return NULL;
}

static enum step step_xz(void *state, struct piece *p)
{
    lzma_stream *x = state;
    lzma_ret said;
    x->next_in = p->in + p->at;
    x->avail_in = p->have - p->at;
    x->next_out = p->out;
    x->avail_out = PIECE;
    said = lzma_code(x, LZMA_RUN);
    p->at = p->have - x->avail_in;
    p->made = PIECE - x->avail_out;
    if (said == LZMA_STREAM_END)
        return lzma_stream_decoder(x, XZ_MEMORY, 0) == LZMA_OK ? END : DAMAGED;
    return said == LZMA_OK || said == LZMA_BUF_ERROR ? MORE : DAMAGED;
}

static void close_xz(void *state)
{
    lzma_end(state);
    free(state);
}

static void *open_zstd(void) { return ZSTD_createDStream(); }

static enum step step_zstd(void *state, struct piece *p)
{
    ZSTD_inBuffer in = {p->in, p->have, p->at};
    ZSTD_outBuffer out = {p->out, PIECE, 0};
    size_t said = ZSTD_decompressStream(state, &out, &in);
    p->at = in.pos;
    p->made = out.pos;
    return ZSTD_isError(said) ? DAMAGED : said == 0 ? END : MORE;
}

static void close_zstd(void *state) { ZSTD_freeDStream(state); }

static void *open_bzip2(void)
{
    bz_stream *b = QN_NEEDED(calloc(1, sizeof *b));
    if (BZ2_bzDecompressInit(b, 0, 0) == BZ_OK)
        return b;
    free(b);
    return NULL;
}

static enum step step_bzip2(void *state, struct piece *p)
{
    bz_stream *b = state;
    int said;
    b->next_in = (char *)p->in + p->at;
    b->avail_in = (unsigned)(p->have - p->at);
    b->next_out = (char *)p->out;
    b->avail_out = (unsigned)PIECE;
    said = BZ2_bzDecompress(b);
    p->at = p->have - b->avail_in;
    p->made = PIECE - b->avail_out;
    if (said == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(b);
        memset(b, 0, sizeof *b);
        return BZ2_bzDecompressInit(b, 0, 0) == BZ_OK ? END : DAMAGED;
    }
    return said == BZ_OK ? MORE : DAMAGED;
}

static void close_bzip2(void *state)
{
    BZ2_bzDecompressEnd(state);
    free(state);
}

static const struct packing packings[] = {
    {"\x1f\x8b\x08", 3, "gzip", open_gzip, step_gzip, close_gzip},
    {"\xfd" "7zXZ\0", 6, "xz", open_xz, step_xz, close_xz},
    {"\x28\xb5\x2f\xfd", 4, "zstd", open_zstd, step_zstd, close_zstd},
    {"BZh", 3, "bzip2", open_bzip2, step_bzip2, close_bzip2},
};

static const struct packing *find_packing(int fd)
{
    char start[8];
    ssize_t n = pread(fd, start, sizeof start, 0);
    for (size_t i = 0; i < QN_ARRAY_LEN(packings); i++)
        if (n >= (ssize_t)packings[i].length && !memcmp(start, packings[i].magic, packings[i].length))
            return &packings[i];
    return NULL;
}

/* Reads the next piece if nothing is left. */
static int read_packed(const char *path, int from, struct piece *p, struct qn_text_error *err)
{
    ssize_t n;
    if (p->at < p->have || p->ends)
        return 0;
    while ((n = read(from, p->in, PIECE)) < 0 && errno == EINTR)
        continue;
    if (n < 0)
        return fail_input(path, "read", err);
    p->at = 0;
    p->have = (size_t)n;
    p->ends = n == 0;
    return 0;
}

static int put(const char *path, int to, const struct piece *p, uint64_t *sum, struct qn_text_error *err)
{
    *sum += p->made;
    if (*sum > UNPACKED_MAX) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: got more than %u MiB of text when unpacked, wanted less; unpack it to a file first", path,
                     (unsigned)(UNPACKED_MAX >> 20));
        return -1;
    }
    return qn_text_write_all(to, p->out, p->made) ? 0 : fail_input(path, "keep", err);
}

static int unpack(const struct packing *k, void *state, const char *path, int from, int to, struct piece *p, struct qn_text_error *err)
{
    enum step step = MORE;
    uint64_t sum = 0;
    for (;;) {
        if (read_packed(path, from, p, err) != 0)
            return -1;
        if (p->ends && step == END)
            return 0;
        step = k->step(state, p);
        if (step == DAMAGED || (step == MORE && p->ends && p->made == 0)) {
            qn_text_fail(err, QN_TEXT_BAD, "%s: got data of %s that are %s, wanted a whole file", path, k->name, step == MORE ? "cut short" : "damaged");
            return -1;
        }
        if (put(path, to, p, &sum, err) != 0)
            return -1;
    }
}

static int qn_text_unpack(const struct packing *k, const char *path, int from, int to, struct qn_text_error *err)
{
    struct piece p = {0};
    void *state = QN_NEEDED(k->open());
    int failed;

    p.in = QN_NEEDED(malloc(PIECE));
    p.out = QN_NEEDED(malloc(PIECE));
    failed = unpack(k, state, path, from, to, &p, err);
    free(p.in);
    free(p.out);
    k->close(state);
    return failed;
}

#define NAME_ROOM 40 /* of /proc/self/fd/N */

static struct copy {
    char *path;
    int fd;          /* -1: none any more */
    struct stat of;  /* st_mode 0: of a pipe, or standard input */
} *copies;
static size_t copy_count, copy_room;

static struct copy *find_copy(const char *path)
{
    for (size_t i = 0; i < copy_count; i++)
        if (!strcmp(copies[i].path, path))
            return &copies[i];
    return NULL;
}

static void look_at(const char *path, struct stat *st)
{
    if (strcmp(path, "-") == 0 || stat(path, st) != 0 || !S_ISREG(st->st_mode))
        *st = (struct stat){0};
}

/* The copy of what the path names now; NULL: there is none. */
static struct copy *find_valid_copy(const char *path)
{
    struct copy *c = find_copy(path);
    struct stat now;
    if (!c || c->fd < 0)
        return NULL;
    look_at(path, &now);
    if (now.st_dev == c->of.st_dev && now.st_ino == c->of.st_ino && now.st_size == c->of.st_size
        && memcmp(&now.st_mtim, &c->of.st_mtim, sizeof now.st_mtim) == 0)
        return c;
    close(c->fd);
    c->fd = -1;
    return NULL;
}

void qn_text_replace_input(const char *path, int fd)
{
    struct copy *c = find_copy(path);
    if (!c) {
        QN_MORE(copies, copy_count, copy_room, 4);
        c = &copies[copy_count++];
        *c = (struct copy){.path = QN_NEEDED(strdup(path)), .fd = -1};
    }
    if (c->fd >= 0)
        close(c->fd);
    c->fd = fd;
    look_at(path, &c->of);
}

/* Each opening of a copy begins at its first byte. */
static int open_copy(const struct copy *c)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "/proc/self/fd/%d", c->fd);
    return open(name, O_RDONLY | O_CLOEXEC);
}

static int copy_all(const char *path, int from, int to, struct qn_text_error *err)
{
    char *part = QN_NEEDED(malloc(PIECE));
    ssize_t n;
    int failed = 0;
    while (!failed && (n = read(from, part, PIECE)) != 0)
        if (n < 0 ? errno != EINTR : !qn_text_write_all(to, part, (size_t)n))
            failed = fail_input(path, n < 0 ? "read" : "keep", err);
    free(part);
    return failed;
}

/* Copies the input to memory, unpacked if `p` is not NULL; returns the copy. */
static int keep(const char *path, int from, const struct packing *p, struct qn_text_error *err)
{
    int to = qn_text_nameless_file("quern-input");
    int failed = to < 0 ? fail_input(path, "keep", err) : p ? qn_text_unpack(p, path, from, to, err) : copy_all(path, from, to, err);
    close(from);
    if (failed && to >= 0)
        close(to);
    return failed ? -1 : to;
}

/* The descriptor of a file, a pipe, standard input. */
static int open_file(const char *path, struct stat *st, struct qn_text_error *err)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_input(path, "open", err);
    if (fstat(fd, st) == 0 && !S_ISDIR(st->st_mode))
        return fd;
    close(fd);
    errno = EISDIR;
    qn_text_fail(err, QN_TEXT_IO, "%s: got a folder, wanted a file: name one of those in it", path);
    return -1;
}

int qn_text_open_input(const char *path, struct qn_text_error *err)
{
    const struct copy *kept = find_valid_copy(path);
    const struct packing *packing;
    struct stat st;
    int fd = kept ? open_copy(kept) : open_file(path, &st, err);
    if (kept && fd < 0)
        return fail_input(path, "open", err);
    if (fd < 0 || kept)
        return fd;
    if (strcmp(path, "-") == 0 || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
        if ((fd = keep(path, fd, NULL, err)) < 0)
            return -1;
        qn_text_replace_input(path, fd);
        fd = open_copy(find_copy(path));
    }
    packing = find_packing(fd);
    if (!packing)
        return fd;
    if ((fd = keep(path, fd, packing, err)) < 0)
        return -1;
    qn_text_replace_input(path, fd);
    return open_copy(find_copy(path));
}

FILE *qn_text_open_kept(const char *path)
{
    int fd = qn_text_open_input(path, NULL);
    return fd < 0 ? NULL : fdopen(fd, "r");
}

/* ---- lines: the buffer grows only where a single line is longer than it ---- */

/* The NUL behind a last line that has no newline and fills the buffer. */
#define SLACK 1

/* A line longer than this is not text that any profiler wrote. */
#define LINE_MAX_BYTES ((size_t)1 << 28)

void qn_text_open_window(struct qn_text_window *w, int fd, size_t room)
{
    *w = (struct qn_text_window){.fd = fd, .room = room, .buffer = QN_NEEDED(malloc(room + SLACK))};
}

void qn_text_close_window(struct qn_text_window *w)
{
    if (w->fd >= 0)
        close(w->fd);
    free(w->buffer);
    *w = (struct qn_text_window){.fd = -1};
}

enum qn_text_status qn_text_open_lines(struct qn_text_lines *l, const char *path, struct qn_text_error *err)
{
    int fd = qn_text_open_input(path, err);
    *l = (struct qn_text_lines){.window.fd = -1, .path = path};
    if (fd < 0)
        return err->status;
    qn_text_open_window(&l->window, fd, QN_TEXT_LINES_BYTES);
    return QN_TEXT_OK;
}

void qn_text_close_lines(struct qn_text_lines *l) { qn_text_close_window(&l->window); }

int qn_text_read_more(struct qn_text_window *w)
{
    ssize_t n;
    memmove(w->buffer, w->buffer + w->start, w->end - w->start);
    w->end -= w->start;
    w->start = 0;
    if (w->end == w->room)
        w->buffer = QN_NEEDED(realloc(w->buffer, (w->room *= 2) + SLACK));
    while ((n = read(w->fd, w->buffer + w->end, w->room - w->end)) < 0 && errno == EINTR)
        continue;
    w->at_end = n <= 0;
    w->end += n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

static int refill(struct qn_text_lines *l, struct qn_text_error *err)
{
    int error;
    if (l->window.end - l->window.start >= LINE_MAX_BYTES) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: line too long, got more than %zu bytes, wanted text", l->path, l->number + 1, LINE_MAX_BYTES);
        return -1;
    }
    error = qn_text_read_more(&l->window);
    return error ? (errno = error, fail_input(l->path, "read", err)) : 0;
}

static void hand_out(struct qn_text_lines *l, size_t length, char **text, size_t *out)
{
    *text = l->window.buffer + l->window.start;
    l->window.start += length + 1;
    if (l->window.start > l->window.end)
        l->window.start = l->window.end;
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
        char *from = l->window.buffer + l->window.start;
        size_t have = l->window.end - l->window.start;
        char *newline = memchr(from + scanned, '\n', have - scanned);
        if (newline || (l->window.at_end && have > 0)) {
            l->is_whole = newline != NULL;
            hand_out(l, newline ? (size_t)(newline - from) : have, text, length);
            return 1;
        }
        if (l->window.at_end)
            return 0;
        scanned = have;
        if (refill(l, err) != 0)
            return -1;
    }
}
