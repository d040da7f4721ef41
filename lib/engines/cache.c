/* lib/engines/cache.c - the user's folder of compiled simulators, and its limits.
 *
 * Out: ~/.cache/quern/sims, if it is there or can be made, is ours alone, and programs may be run from it
 *
 * Invariants: the folder is no link, the user owns it, and nobody else may enter it (mode 0700); it is made so.  Only files are removed
 * that the user owns and whose name and contents both say that quern wrote them; what was used longest ago goes when there are more than
 * KEPT_FILES or KEPT_BYTES.  No link is followed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "engines/engines.h"
#include "text/error.h"
#include "text/output.h"

#define FOLDER "sims"
#define KEPT_FILES 64
#define KEPT_BYTES (256ll << 20)
#define LEFT_AGE 3600 /* seconds: no command builds for longer */

/* ---- the folder ---- */

/* Parents may be links: users move their ~/.cache to another disk. */
static bool is_users(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_folder(char *path)
{
    char *slash = strrchr(path, '/');
    bool above;

    if (is_users(path))
        return true;
    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || !slash || slash == path)
        return false;
    *slash = 0;
    above = make_folder(path);
    *slash = '/';
    return above && (!mkdir(path, 0700) || errno == EEXIST);
}

/* -1: there is none that may be used. */
static int open_cache(const char *path)
{
    char *made = QN_NEEDED(strdup(path));
    int fd = make_folder(made) ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct stat st;

    free(made);
    if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

char *qn_engines_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path;

    if (cache && cache[0] == '/')
        return asprintf(&path, "%s/quern", cache) < 0 ? NULL : path;
    return !home || home[0] != '/' || asprintf(&path, "%s/.cache/quern", home) < 0 ? NULL : path;
}

char *qn_engines_cache_folder(void)
{
    char *cache = qn_engines_cache(), *path = NULL;
    struct statvfs fs;
    int fd = -1;

    if (cache && (asprintf(&path, "%s/" FOLDER, cache) < 0 || (fd = open_cache(path)) < 0 || access(path, W_OK) ||
                  fstatvfs(fd, &fs) || (fs.f_flag & ST_NOEXEC))) {
        free(path);
        path = NULL;
    }
    if (fd >= 0)
        close(fd);
    free(cache);
    return path;
}

char *qn_engines_scratch(const char *tool)
{
    const char *tmp = getenv("TMPDIR");
    char *path;

    if (asprintf(&path, "%s/quern-sim.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return NULL;
    if (qn_text_make_scratch(path))
        return path;
    qn_text_complain("quern: %s: %s: %s", tool, path, strerror(errno));
    free(path);
    return NULL;
}

/* ---- what has become too much ---- */

struct kept {
    char name[NAME_MAX + 1];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

static bool is_key(const char *name, const char *suffix)
{
    return strspn(name, "0123456789abcdef") == QN_ENGINES_KEPT_DIGITS && !strcmp(name + QN_ENGINES_KEPT_DIGITS, suffix);
}

static bool is_marked(const char *name, int fd)
{
    char mark[sizeof QN_ENGINES_TABLE_MARK] = "";

    if (!strncmp(name, QN_ENGINES_TABLE, strlen(QN_ENGINES_TABLE)))
        return is_key(name + strlen(QN_ENGINES_TABLE), ".h") && pread(fd, mark, sizeof mark - 1, 0) > 0 && !strcmp(mark, QN_ENGINES_TABLE_MARK);
    return is_key(name, "") && qn_engines_is_kept(fd);
}

/* Looks into the file without a change of its time of use. */
static bool is_ours(int folder, const char *name, struct stat *st)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME | O_CLOEXEC);
    bool ours = fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() && is_marked(name, fd);

    if (fd >= 0)
        close(fd);
    return ours;
}

/* A folder in which a command was killed while it built. */
static bool is_left(int folder, const char *name)
{
    size_t n = strlen(QN_ENGINES_NEW);
    struct stat st;

    return !strncmp(name, QN_ENGINES_NEW, n) && strlen(name + n) == strlen(".XXXXXX") && name[n] == '.' &&
           !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           time(NULL) - st.st_mtime > LEFT_AGE;
}

/* Lists what is ours, the most recently used first; removes folders that were left. */
static struct kept *list_files(DIR *directory, const char *path, size_t *count)
{
    struct kept *list = NULL;
    size_t room = 0;
    struct dirent *e;
    struct stat st;
    char *left;

    while ((e = readdir(directory))) {
        if (is_left(dirfd(directory), e->d_name) && asprintf(&left, "%s/%s", path, e->d_name) >= 0) {
            qn_text_remove_scratch(left);
            free(left);
        } else if (is_ours(dirfd(directory), e->d_name, &st) && QN_GROW(list, *count, room, 64)) {
            struct kept *k = &list[(*count)++];

            strcpy(k->name, e->d_name);
            k->used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
            k->size = st.st_size;
        }
    }
    if (*count)
        qsort(list, *count, sizeof *list, compare_use);
    return list;
}

void qn_engines_remove_old(const char *path)
{
    int fd = open_cache(path);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    struct kept *list;
    size_t count = 0;
    off_t sum = 0;

    if (!directory)
        return;
    list = list_files(directory, path, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (i >= KEPT_FILES || (i && sum > KEPT_BYTES))
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    closedir(directory);
}
