/*
 * What a user names, as text that can be read again. See input.h.
 *
 * In:  a path
 * Out: the file itself, or a copy of it in memory, unpacked
 */
#define _GNU_SOURCE
#include "text/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "text/unpack.h"

#define NAME_ROOM 40 /* of /proc/self/fd/N */
#define COPY_BYTES ((size_t)256 << 10) /* at once */

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

static int fail_input(const char *path, const char *what, struct qn_text_error *err)
{
    int number = errno;
    qn_text_fail(err, QN_TEXT_IO, "%s: cannot %s: %s", path, what, strerror(number));
    errno = number;
    return -1;
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
    char *part = QN_NEEDED(malloc(COPY_BYTES));
    ssize_t n, written = 0;
    int failed = 0;
    while (!failed && (n = read(from, part, COPY_BYTES)) != 0) {
        if (n < 0 && errno != EINTR)
            failed = fail_input(path, "read", err);
        for (ssize_t done = 0; !failed && done < n; done += written)
            if ((written = write(to, part + done, (size_t)(n - done))) < 0)
                failed = fail_input(path, "keep", err);
    }
    free(part);
    return failed;
}

/* Copies the input to memory, unpacked if `p` is not NULL; returns the copy. */
static int keep(const char *path, int from, const struct qn_text_packing *p, struct qn_text_error *err)
{
    int to = memfd_create("quern-input", MFD_CLOEXEC);
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
    const struct qn_text_packing *packing;
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
    packing = qn_text_find_packing(fd);
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
