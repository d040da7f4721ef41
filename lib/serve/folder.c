/* lib/serve/folder.c - reads and writes the C files of the folder, by plain names; links are not followed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "serve/serve.h"
#include "text/names.h"
#include "text/output.h"
#include "text/escape.h"

#define COPIES_MAX 200       /* sources that are copied for a run */
#define COPY_BYTES_MAX (1u << 20)

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && !strcmp(name + n - m, end);
}

static bool is_plain(const char *name)
{
    return *name && *name != '.' && *name != '-' && strlen(name) < NAME_MAX && !name[strspn(name, QN_SERVE_NAME_LETTERS)];
}

bool qn_serve_is_name(const char *name) { return is_plain(name) && ends_in(name, ".c"); }

/* Fills names[] with the regular files that `wanted` accepts, sorted, `most` at most; returns how many. */
static unsigned list(const struct qn_serve *s, bool (*wanted)(const char *name), char *names[], unsigned most)
{
    int fd = openat(s->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    unsigned n = 0;
    struct dirent *e;

    while (d && n < most && (e = readdir(d))) {
        struct stat st;

        if (wanted(e->d_name) && !fstatat(s->folder_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode)
            && (names[n] = strdup(e->d_name)))
            n++;
    }
    if (d)
        closedir(d);
    qsort(names, n, sizeof *names, qn_text_compare);
    return n;
}

/* Modules include sim/module.h, or another header of that folder. */
static bool is_module(const struct qn_serve *s, const char *name)
{
    const char *why;
    size_t size;
    char *text = qn_serve_read(s, name, QN_SERVE_TEXT_MAX, &size, &why);
    bool is = text && strstr(text, "#include \"sim/");

    free(text);
    return is;
}

char *qn_serve_list(const struct qn_serve *s)
{
    static char *names[QN_SERVE_FILES_MAX];
    unsigned n = list(s, qn_serve_is_name, names, QN_SERVE_FILES_MAX);
    json_t *files = json_array(), *own = json_array(), *all = json_object();
    char *text;

    for (unsigned i = 0; i < n; i++) {
        json_array_append_new(files, json_string(names[i]));
        if (is_module(s, names[i]))
            json_array_append_new(own, json_string(names[i]));
        free(names[i]);
    }
    json_object_set_new(all, "files", files);
    json_object_set_new(all, "own", own);
    json_object_set_new(all, "modules", json_loads(s->modules, 0, NULL));
    text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

/* Reads a regular file of at most `most` bytes; a zero byte follows them.  NULL: *why. */
static char *read_file(int folder, const char *name, size_t most, size_t *size, const char **why)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    struct stat st;
    ssize_t n = 1;

    if (fd < 0 || fstat(fd, &st))
        *why = strerror(errno == ELOOP ? EACCES : errno);
    else if (!S_ISREG(st.st_mode) || st.st_size > (off_t)most)
        *why = S_ISREG(st.st_mode) ? "is too large" : "is no file";
    else if (!(text = malloc(most + 1)))
        *why = strerror(ENOMEM);
    for (*size = 0; text && n > 0 && *size < most; *size += n > 0 ? (size_t)n : 0)
        n = read(fd, text + *size, most - *size);
    if (text)
        text[*size] = 0;
    if (fd >= 0)
        close(fd);
    return text;
}

char *qn_serve_read(const struct qn_serve *s, const char *name, size_t most, size_t *size, const char **why)
{
    char *text = read_file(s->folder_fd, name, most, size, why);

    if (text && (memchr(text, 0, *size) || !qn_text_is_utf8(text, *size))) {
        *why = "is not text in UTF-8";
        free(text);
        return NULL;
    }
    return text;
}

void qn_serve_version(const char *text, size_t size, char version[17])
{
    snprintf(version, 17, "%016" PRIx64, qn_hash_bytes(QN_HASH_NONE, text, size));
}

/* The version of a file that is not there is "". */
static bool is_version(const struct qn_serve *s, const char *name, const char *version)
{
    const char *why;
    size_t size;
    char *text, now[17] = "";

    if (faccessat(s->folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW))
        return !*version;
    text = read_file(s->folder_fd, name, QN_SERVE_TEXT_MAX, &size, &why);
    if (!text)
        return false;
    qn_serve_version(text, size, now);
    free(text);
    return !strcmp(now, version);
}

const char *qn_serve_save(const struct qn_serve *s, const char *name, const char *text, size_t size, const char *version, unsigned *status)
{
    static struct qn_text_error err;
    struct qn_text_output o;
    char *path;

    *status = MHD_HTTP_CONFLICT;
    if (!is_version(s, name, version))
        return "the file was changed elsewhere; open it again";
    *status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    err = (struct qn_text_error){ .status = QN_TEXT_OK };
    if (asprintf(&path, "%s/%s", s->folder, name) < 0)
        return strerror(ENOMEM);
    if (qn_text_open_output(&o, path, QN_TEXT_SHARED, &err) == QN_TEXT_OK) {
        FILE *out = qn_text_stream_output(&o);

        if (!out || fwrite(text, 1, size, out) != size)
            qn_text_fail(&err, QN_TEXT_IO, "%s: cannot write", name);
        qn_text_close_output(&o, &err);
    }
    free(path);
    return err.status == QN_TEXT_OK ? NULL : err.text;
}

static bool is_source(const char *name) { return is_plain(name) && (ends_in(name, ".c") || ends_in(name, ".h")); }

static bool write_copy(const char *folder, const char *name, const char *text, size_t size)
{
    char path[PATH_MAX];
    int fd;
    bool good;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    good = fd >= 0 && write(fd, text, size) == (ssize_t)size && !fchmod(fd, 0644);
    if (fd >= 0)
        close(fd);
    return good;
}

const char *qn_serve_copy_sources(const struct qn_serve *s, const char *to)
{
    static char *names[COPIES_MAX];
    unsigned n = list(s, is_source, names, COPIES_MAX);
    const char *wrong = NULL, *why;

    for (unsigned i = 0; i < n; i++) {
        size_t size;
        char *text = read_file(s->folder_fd, names[i], COPY_BYTES_MAX, &size, &why);

        if (text && !write_copy(to, names[i], text, size))
            wrong = strerror(errno);
        free(text);
        free(names[i]);
    }
    return wrong;
}
