/*
 * Files and folders that are whole or not there. See output.h.
 *
 * The paths that a signal's handler removes are in a list of fixed size, because the handler may not allocate or lock.  Signals are
 * blocked from the making of a file until its path is in the list.  A child inherits the list; only the process that made it removes.
 */
#define _GNU_SOURCE
#include "text/output.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"

#define WATCHED_MAX 64    /* one command has a handful; a signal would leave further ones */
#define ENTRIES_BYTES 2048
#define LINKS_MAX 40      /* as the kernel follows */
#define BASE_MAX (NAME_MAX - (int)sizeof "..XXXXXX" + 1)

/* ---- files without a name ---- */

int qn_text_nameless_file(const char *what)
{
    int fd = memfd_create(what, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const char *folder = getenv("TMPDIR");
    char *path;

    if (fd >= 0 || (errno != ENOSYS && errno != EPERM) || asprintf(&path, "%s/%s.XXXXXX", folder && *folder ? folder : "/tmp", what) < 0)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

/* ---- removing, with calls that a signal handler may make ---- */

struct entry { /* as getdents64 gives it */
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void remove_at(int folder, const char *name);

/* Removes the entries of a folder; returns how many.  The kernel may skip some while others are removed, so the caller repeats it
 * until none is removed. */
static int remove_entries(int folder)
{
    _Alignas(struct entry) char buffer[ENTRIES_BYTES];
    int removed = 0;

    lseek(folder, 0, SEEK_SET);
    for (long n; (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(buffer + at);

            at += e->length;
            if (!strcmp(e->name, ".") || !strcmp(e->name, ".."))
                continue;
            remove_at(folder, e->name);
            removed += faccessat(folder, e->name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
        }
    return removed;
}

static void remove_at(int folder, const char *name)
{
    int inner;

    if (!unlinkat(folder, name, 0) || errno == ENOENT)
        return;
    inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return;
    while (remove_entries(inner))
        continue;
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* ---- the list of paths that a signal removes ---- */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
static char *volatile watched[WATCHED_MAX];
static volatile pid_t owner;

static void remove_watched(void)
{
    bool own = owner == getpid();

    for (int i = 0; own && i < WATCHED_MAX; i++)
        if (watched[i])
            remove_at(AT_FDCWD, watched[i]);
}

static void take_end(int sig)
{
    remove_watched();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* A handler of SIGXFSZ makes the write fail with EFBIG. */
static void pass_over(int sig) { (void)sig; }

/* It is not ignored, since programs that we start would inherit that. */
void qn_text_pass_over_file_limit(void)
{
    struct sigaction act;

    if (!sigaction(SIGXFSZ, NULL, &act) && act.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = pass_over, .sa_flags = SA_RESTART }, NULL);
}

/* Ignored signals stay ignored.  A command that ends in the middle (no memory) removes what is unfinished, too. */
static void take_ends(void)
{
    static bool taken;
    struct sigaction act;

    if (!taken)
        atexit(remove_watched);
    taken = true;
    for (size_t i = 0; i < QN_ARRAY_LEN(ends); i++)
        if (!sigaction(ends[i], NULL, &act) && act.sa_handler == SIG_DFL)
            sigaction(ends[i], &(struct sigaction){ .sa_handler = take_end }, NULL);
}

static sigset_t hold_signals(void)
{
    sigset_t set, old;

    sigemptyset(&set);
    for (size_t i = 0; i < QN_ARRAY_LEN(ends); i++)
        sigaddset(&set, ends[i]);
    sigprocmask(SIG_BLOCK, &set, &old);
    return old;
}

/* Enters a path; the caller blocks signals.  A child first drops its parent's paths. */
static void watch(const char *path)
{
    pid_t self = getpid();
    int at = 0;

    for (int i = 0; owner != self && i < WATCHED_MAX; i++)
        watched[i] = NULL;
    owner = self;
    take_ends();
    while (at < WATCHED_MAX && watched[at] && strcmp(watched[at], path))
        at++;
    if (at < WATCHED_MAX && !watched[at])
        watched[at] = strdup(path);
}

static void forget(const char *path)
{
    bool own = path && owner == getpid();

    for (int i = 0; own && i < WATCHED_MAX; i++) {
        char *name = watched[i];

        if (!name || strcmp(name, path))
            continue;
        watched[i] = NULL;
        free(name);
    }
}

/* ---- folders ---- */

char *qn_text_make_scratch(char *path)
{
    sigset_t old = hold_signals();
    char *made = mkdtemp(path);
    int error = errno;

    if (made)
        watch(made);
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return made;
}

void qn_text_watch_scratch(const char *path)
{
    sigset_t old = hold_signals();

    watch(path);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void qn_text_keep_scratch(const char *path) { forget(path); }

void qn_text_remove_scratch(const char *path)
{
    if (!path)
        return;
    remove_at(AT_FDCWD, path);
    forget(path);
}

/* ---- files ---- */

static enum qn_text_status fail(const struct qn_text_output *o, const char *doing, struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_IO, "%s: cannot %s: %s", *o->path ? o->path : "''", doing, strerror(errno));
}

static void free_names(struct qn_text_output *o)
{
    free(o->path);
    free(o->temporary);
    o->path = o->temporary = NULL;
}

/* Opens a new file beside the target: DIR/.BASE.XXXXXX, with as much of the base as a name may have. */
static enum qn_text_status open_temporary(struct qn_text_output *o, mode_t mode, struct qn_text_error *err)
{
    const char *slash = strrchr(o->path, '/');
    int folder = slash ? (int)(slash - o->path) + 1 : 0;
    sigset_t old;
    mode_t mask;

    if (asprintf(&o->temporary, "%.*s.%.*s.XXXXXX", folder, o->path, BASE_MAX, o->path + folder) < 0)
        qn_no_memory();
    old = hold_signals();
    o->fd = mkostemp(o->temporary, O_CLOEXEC);
    if (o->fd >= 0)
        watch(o->temporary);
    else
        fail(o, "create", err);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (o->fd < 0)
        return err->status;
    umask(mask = umask(0));
    if (mode != QN_TEXT_PRIVATE)
        fchmod(o->fd, mode & ~mask);
    return QN_TEXT_OK;
}

/* Follows a link, step by step, to the name that rename() is to replace; what it leads to may not be there yet.  True: it leads to a
 * descriptor, as /dev/stdout does, whose file is not replaced: what is in it already, and what follows, belongs to others. */
static bool follow_links(struct qn_text_output *o)
{
    char target[PATH_MAX];
    ssize_t n;

    for (int left = LINKS_MAX; left && (n = readlink(o->path, target, sizeof target)) > 0; left--) {
        const char *slash = strrchr(o->path, '/');
        char *from = o->path;
        struct statfs fs;
        int link = open(from, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        bool is_descriptor = link >= 0 && !fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC && isdigit((unsigned char)(slash ? slash[1] : *from));

        if (link >= 0)
            close(link);
        if (is_descriptor)
            return true;
        if (asprintf(&o->path, "%.*s%.*s", *target != '/' && slash ? (int)(slash - from) + 1 : 0, from, (int)n, target) < 0)
            qn_no_memory();
        free(from);
    }
    return false;
}

/* Opens what is no regular file; of our own descriptors a copy, so that both write at one place. */
static int open_directly(const char *path)
{
    const char *slash = strrchr(path, '/');
    int own = slash && isdigit((unsigned char)slash[1]) ? atoi(slash + 1) : -1;
    struct stat there, here;

    if (own >= 0 && !stat(path, &there) && !fstat(own, &here) && there.st_dev == here.st_dev && there.st_ino == here.st_ino)
        return fcntl(own, F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

/* 1: the target is written directly; 0: a temporary file becomes the target; -1: it is a folder, a link to itself, or no name. */
static int choose_way(struct qn_text_output *o, struct qn_text_error *err)
{
    struct stat st;
    bool is_there;

    if (follow_links(o))
        return 1;
    is_there = !stat(o->path, &st);
    if (is_there ? S_ISREG(st.st_mode) : errno != ELOOP && *o->path)
        return 0;
    if (is_there && !S_ISDIR(st.st_mode))
        return 1;
    if (is_there)
        errno = EISDIR;
    fail(o, "create", err);
    return -1;
}

enum qn_text_status qn_text_open_output(struct qn_text_output *o, const char *path, mode_t mode, struct qn_text_error *err)
{
    enum qn_text_status status = QN_TEXT_OK;
    int way;

    *o = (struct qn_text_output){ .fd = -1, .path = QN_NEEDED(strdup(path)) };
    way = choose_way(o, err);
    if (way == 0)
        status = open_temporary(o, mode, err);
    else if (way > 0 && (o->fd = open_directly(o->path)) < 0)
        status = fail(o, "open", err);
    if (o->fd < 0) {
        status = err->status;
        free_names(o);
    }
    return status;
}

FILE *qn_text_stream_output(struct qn_text_output *o) { return o->stream = QN_NEEDED(fdopen(o->fd, "w")); }

static int close_file(struct qn_text_output *o)
{
    int bad = o->stream ? ferror(o->stream) : 0, error = errno;

    if ((o->stream ? fclose(o->stream) : close(o->fd)) != 0)
        return -1;
    errno = error;
    return bad ? -1 : 0;
}

enum qn_text_status qn_text_close_output(struct qn_text_output *o, struct qn_text_error *err)
{
    if (err->status != QN_TEXT_OK) {
        qn_text_drop_output(o);
        return err->status;
    }
    if (close_file(o) != 0)
        fail(o, "write", err);
    else if (o->temporary && rename(o->temporary, o->path) != 0)
        fail(o, "rename", err);
    if (o->temporary && err->status != QN_TEXT_OK)
        unlink(o->temporary);
    forget(o->temporary);
    free_names(o);
    return err->status;
}

void qn_text_drop_output(struct qn_text_output *o)
{
    close_file(o);
    if (o->temporary)
        unlink(o->temporary);
    forget(o->temporary);
    free_names(o);
}

char *qn_text_leave_output(struct qn_text_output *o)
{
    char *left = o->temporary;

    close_file(o);
    forget(left);
    o->temporary = NULL;
    free_names(o);
    return left;
}

bool qn_text_write_all(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        ssize_t n = write(fd, at, size);

        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- a check before long work ---- */

/* An empty write to a full device fails.  A pipe is not opened, because its reader would take the close for the end of the data. */
static enum qn_text_status check_directly(struct qn_text_output *o, struct qn_text_error *err)
{
    struct stat st;
    int fd;

    if (stat(o->path, &st) == 0 && !S_ISCHR(st.st_mode))
        return access(o->path, W_OK) ? fail(o, "open", err) : QN_TEXT_OK;
    fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return fail(o, "open", err);
    if (write(fd, "", 0) < 0 && errno != EAGAIN)
        fail(o, "write", err);
    close(fd);
    return err->status;
}

static enum qn_text_status check_folder(struct qn_text_output *o, struct qn_text_error *err)
{
    ssize_t n;

    if (open_temporary(o, QN_TEXT_PRIVATE, err) != QN_TEXT_OK)
        return err->status;
    do
        n = write(o->fd, "", 1);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        fail(o, "write", err);
    close(o->fd);
    unlink(o->temporary);
    forget(o->temporary);
    return err->status;
}

enum qn_text_status qn_text_check_output(const char *path, struct qn_text_error *err)
{
    struct qn_text_output o = { .fd = -1, .path = QN_NEEDED(strdup(path)) };
    int way = choose_way(&o, err);

    if (way >= 0)
        way ? check_directly(&o, err) : check_folder(&o, err);
    free_names(&o);
    return err->status;
}
