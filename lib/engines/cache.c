/* lib/engines/cache.c - the user's folder of compiled simulators, and its limits.
 *
 * Out: ~/.cache/quern/sims, if it is there or can be made, is ours alone, and programs may be run from it
 *
 * What was used longest ago goes when there are more than KEPT_FILES or KEPT_BYTES.
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
#include "text/complain.h"
#include "text/output.h"

#define FOLDER "sims"
#define KEPT_FILES 64
#define KEPT_BYTES (256ll << 20)
#define LEFT_AGE 3600            /* seconds: an older folder was left behind by a killed process */

char *qn_engines_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path;

    if (cache && cache[0] == '/')
        return asprintf(&path, "%s/quern", cache) < 0 ? NULL : path;
    return !home || home[0] != '/' || asprintf(&path, "%s/.cache/quern", home) < 0 ? NULL : path;
}

static bool is_ours(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Makes the folder and its parents, but only inside folders that we own: root leaves nothing in another user's folders. */
static bool make_folder(char *path)
{
    char *slash = strrchr(path, '/');
    bool above;

    if (is_ours(path))
        return true;
    if (access(path, F_OK) == 0 || !slash || slash == path)
        return false;
    *slash = 0;
    above = make_folder(path);
    *slash = '/';
    return above && (!mkdir(path, 0700) || errno == EEXIST);
}

char *qn_engines_cache_folder(void)
{
    char *cache = qn_engines_cache(), *path = NULL;
    struct statvfs fs;

    if (cache && (asprintf(&path, "%s/" FOLDER, cache) < 0 || !make_folder(path) || access(path, W_OK) || statvfs(path, &fs) ||
                  (fs.f_flag & ST_NOEXEC))) {
        free(path);
        path = NULL;
    }
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
    char name[24];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

static void remove_left(const char *cache, const char *name, time_t changed)
{
    char *path;

    if (time(NULL) - changed > LEFT_AGE && asprintf(&path, "%s/%s", cache, name) >= 0) {
        qn_text_remove_scratch(path);
        free(path);
    }
}

void qn_engines_remove_old(const char *cache)
{
    DIR *directory = opendir(cache);
    struct kept *list = NULL;
    size_t count = 0, room = 0;
    off_t sum = 0;
    struct dirent *e;
    struct stat st;

    while (directory && (e = readdir(directory))) {
        if (fstatat(dirfd(directory), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (S_ISDIR(st.st_mode) && !strncmp(e->d_name, QN_ENGINES_NEW, strlen(QN_ENGINES_NEW)))
            remove_left(cache, e->d_name, st.st_mtime);
        if (!S_ISREG(st.st_mode) || strlen(e->d_name) >= sizeof list->name || !QN_GROW(list, count, room, KEPT_FILES))
            continue;
        strcpy(list[count].name, e->d_name);
        list[count].used = st.st_mtime;
        list[count++].size = st.st_size;
    }
    if (count)
        qsort(list, count, sizeof *list, compare_use);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (i >= KEPT_FILES || (i && sum > KEPT_BYTES))
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    if (directory)
        closedir(directory);
}
