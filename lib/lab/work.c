/* lib/lab/work.c - the scratch directory of a check.
 *
 *   quern-lab.XXXXXX/in/       copies of the files handed in; links are not followed
 *   quern-lab.XXXXXX/build/    programs built from them; the compiler may write here
 *   quern-lab.XXXXXX/cases/    inputs, and files that a program may write (made beforehand, because it cannot create files)
 *
 * All of it is removed at the end.  Files belong to us; build/ and the files to be written to the user that the code
 * runs as.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/internal.h"
#include "base/grow.h"
#include "text/output.h"

#define SOURCE_MAX (1u << 20)  /* bytes of a file that is handed in */
#define OUT_MAX (64u << 20)    /* bytes that are read of one that was written */

static bool complain(const char *path)
{
    fprintf(stderr, "quern: lab: %s: %s\n", path, strerror(errno));
    return false;
}

/* The bytes of an open file, at most `most`; a zero byte behind them. */
static char *read_all(int fd, size_t most, size_t *size)
{
    char *bytes = QN_NEEDED(malloc(most + 1));
    ssize_t n = 0;

    for (*size = 0; *size < most && (n = read(fd, bytes + *size, most - *size)) > 0; *size += (size_t)n)
        ;
    bytes[*size] = 0;
    return bytes;
}

static bool write_file(const char *path, const char *bytes, size_t size, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    bool good = fd >= 0 && qn_text_write_all(fd, bytes, size) && fchmod(fd, mode) == 0;

    if (fd >= 0)
        close(fd);
    return good || complain(path);
}

/* ---- what was handed in ---- */

/* Copies a file.  false: the grader cannot write.  A file that cannot be copied is missing, and the tests say so. */
static bool take_file(struct qn_lab_check *c, const char *name)
{
    char *from = qn_lab_format("%s/%s", c->request->directory, name), *to = qn_lab_format("%s/in/%s", c->scratch, name);
    int fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool good = true;
    size_t size;
    char *bytes;

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX) {
        printf("# %s: %s\n", name, fd < 0 ? strerror(errno) : "is not a file of at most 1 MiB");
    } else {
        bytes = read_all(fd, SOURCE_MAX, &size);
        good = write_file(to, bytes, size, 0644);
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
    free(from);
    free(to);
    return good;
}

static bool make_folder(const struct qn_lab_check *c, const char *name, bool theirs)
{
    char *path = qn_lab_format("%s/%s", c->scratch, name);
    bool good = mkdir(path, 0755) == 0 && chmod(path, 0755) == 0
                && (!theirs || qn_lab_user() == geteuid() || chown(path, qn_lab_user(), qn_lab_user()) == 0);

    if (!good)
        complain(path);
    free(path);
    return good;
}

bool qn_lab_open_work(struct qn_lab_check *c)
{
    const char *tmp = getenv("TMPDIR");
    struct stat st;
    bool good = true;

    if (stat(c->request->directory, &st) || !S_ISDIR(st.st_mode)) {
        errno = errno ? errno : ENOTDIR;
        return complain(c->request->directory);
    }
    c->scratch = qn_lab_format("%s/quern-lab.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!qn_text_make_scratch(c->scratch) || chmod(c->scratch, 0711))
        return complain(c->scratch);
    qn_lab_choose_user(c->place->quern, c->scratch);
    if (!make_folder(c, "in", false) || !make_folder(c, "build", true) || !make_folder(c, "cases", false))
        return false;
    for (const char *const *name = c->request->lab->files; good && *name; name++)
        good = take_file(c, *name);
    return good;
}

void qn_lab_close_work(struct qn_lab_check *c)
{
    if (c->scratch)
        qn_text_remove_scratch(c->scratch);
    qn_lab_free_built(c);
    free(c->scratch);
    free(c->compiler);
}

const char *qn_lab_handed_in(struct qn_lab_check *c, const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/in/%s", c->scratch, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* ---- inputs and outputs ---- */

static const char *case_path(const struct qn_lab_check *c, const char *name)
{
    static char paths[4][4096]; /* several are in use at a time */
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/cases/%s", c->scratch, name);
    return path;
}

const char *qn_lab_write(struct qn_lab_check *c, const char *name, const char *bytes, size_t size)
{
    const char *path = case_path(c, name);

    unlink(path);
    if (!write_file(path, bytes, size, 0644)) {
        qn_lab_say(c, "the grader cannot write %s", name);
        c->broken = true;
    }
    return path;
}

const char *qn_lab_out(struct qn_lab_check *c, const char *name)
{
    const char *path = qn_lab_write(c, name, "", 0);

    if (!c->broken && qn_lab_user() != geteuid() && chown(path, qn_lab_user(), qn_lab_user())) {
        qn_lab_say(c, "the grader cannot give %s away", name);
        c->broken = true;
    }
    return path;
}

char *qn_lab_read_out(struct qn_lab_check *c, const char *name, size_t *size)
{
    int fd = open(case_path(c, name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *bytes;

    if (fd < 0)
        return NULL;
    bytes = read_all(fd, OUT_MAX, size);
    close(fd);
    return bytes;
}
